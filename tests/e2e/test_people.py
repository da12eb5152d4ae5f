"""People in the console: search by name or voter code, move, kick, ban, and undo."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import check
from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import TIMEOUT_MS, Screen
from tests.server import Server
from tests.socket_clients import open_clients
from tests.voting.open_turn import vote as cast_vote
from voting.protocol import CloseCode

OWNER = "petra"
SIZES = {"desk": {"width": 1280, "height": 800}, "tablet": {"width": 1024, "height": 768}}
CLASS = "Ada Lovelace, Rooks\nAlan Turing, Rooks\nGrace Hopper, Doves\nKatherine Johnson, Doves"


def open_console(server: Server, open_at: OpenScreen, size: str, code: str) -> Screen:
    screen = open_at(server, f"people-{size}", SIZES[size])
    _, value = server.ask("session", name=OWNER).split("=", 1)
    screen.page.context.add_cookies([{"name": "sessionid", "value": value, "url": server.http}])
    screen.page.goto(f"/console/{code}/")
    expect(screen.page.get_by_role("region", name="People")).to_be_visible(timeout=TIMEOUT_MS)
    return screen


def search(page: Page, text: str) -> None:
    page.get_by_role("region", name="People").get_by_role("searchbox").fill(text)


def click_button(page: Page, name: str) -> None:
    page.get_by_role("region", name="People").get_by_role("button", name=name).click()


@pytest.mark.parametrize("size", SIZES)
def test_console_finds_moves_bans_and_readmits_student(
    size: str, one_gateway: Server, open_at: OpenScreen
) -> None:
    event = one_gateway.ask("event", owner=OWNER, lobby="open", admission="roster")
    ada = one_gateway.ask("roster", event_id=event["id"], text=CLASS)[0]
    console = open_console(one_gateway, open_at, size, event["code"])
    people = console.page.get_by_role("region", name="People")
    with open_clients(one_gateway) as clients:
        phone, welcome = clients.phone(event["code"], key=ada)
        expect(people.get_by_role("listitem")).to_have_count(4, timeout=TIMEOUT_MS)
        console.shoot("class")
        search(console.page, "love")
        expect(people.get_by_role("listitem")).to_have_count(1, timeout=TIMEOUT_MS)
        click_button(console.page, "Move to Doves")
        assert phone.receive("phone.welcomed")["you"]["team"] == 2
        expect(people.get_by_text("Moved to Doves")).to_be_visible(timeout=TIMEOUT_MS)
        click_button(console.page, "Ban")
        assert phone.closed() == CloseCode.BANNED
        expect(people.get_by_text("Banned")).to_be_visible(timeout=TIMEOUT_MS)
        console.shoot("banned")
        assert check(console.page, f"people at {size}") == []
        console.page.get_by_role("button", name=re.compile(r"Undo: .* banned")).click()
        expect(people.get_by_text("Moved to Doves")).to_be_visible(timeout=TIMEOUT_MS)
        click_button(console.page, "Move back")
        expect(people.get_by_text("Moved to Doves")).to_have_count(0, timeout=TIMEOUT_MS)
        _, back = clients.phone(event["code"], token=welcome["you"]["token"])
        assert back["you"]["team"] == 1
    assert console.errors == []


def test_console_kicks_voter_code_by_keyboard(one_gateway: Server, open_at: OpenScreen) -> None:
    event = one_gateway.ask("event", owner=OWNER, lobby="open")
    console = open_console(one_gateway, open_at, "desk", event["code"])
    people = console.page.get_by_role("region", name="People")
    with open_clients(one_gateway) as clients:
        phone, welcome = clients.phone(event["code"])
        voter_code = welcome["you"]["voter_code"]
        people.get_by_role("searchbox").focus()
        console.page.keyboard.type(f"{voter_code[:3]} {voter_code[3:]}".lower())
        expect(people.get_by_role("button", name="Remove")).to_be_visible(timeout=TIMEOUT_MS)
        console.shoot("by-voter-code")
        people.get_by_role("listitem").locator("summary").focus()
        for _ in range(2):  # the person's other team, Remove
            console.page.keyboard.press("Tab")
        expect(people.get_by_role("button", name="Remove")).to_be_focused()
        console.page.keyboard.press("Enter")
        assert phone.closed() == CloseCode.KICKED
        expect(console.page.get_by_text(f"removed {voter_code}")).to_be_visible(timeout=TIMEOUT_MS)
        search(console.page, "nobody at all")
        expect(people.get_by_role("status")).to_contain_text("Nobody found by this name", timeout=TIMEOUT_MS)
        clients.phone(event["code"], token=welcome["you"]["token"])
    assert console.errors == []


def person(console: Screen, voter_code: str) -> Locator:
    people = console.page.get_by_role("region", name="People")
    return people.get_by_role("listitem").filter(has_text=f"{voter_code[:3]}\u00a0{voter_code[3:]}")


def test_console_lists_connected_phones_by_team_and_vote(one_gateway: Server, open_at: OpenScreen) -> None:
    event = one_gateway.ask("event", owner=OWNER, lobby="open", window_s=600, team_choice="choose")
    turn = int(one_gateway.ask("play_to", event_id=event["id"], picks=[]))
    console = open_console(one_gateway, open_at, "desk", event["code"])
    people = console.page.get_by_role("region", name="People")
    with open_clients(one_gateway) as clients:
        seats = [clients.phone(event["code"], team=team) for team in (1, 1, 2)]
        codes = [welcome["you"]["voter_code"] for _, welcome in seats]
        cast_vote(seats[0][0], turn, choice=4)
        expect(people.get_by_role("listitem")).to_have_count(3, timeout=TIMEOUT_MS)
        people.get_by_label("Team").select_option("Rooks")
        expect(people.get_by_role("listitem")).to_have_count(2, timeout=TIMEOUT_MS)
        people.get_by_label("Vote", exact=True).select_option("Not voted yet")
        expect(people.get_by_role("listitem")).to_have_count(1, timeout=TIMEOUT_MS)
        expect(person(console, codes[1])).to_be_visible()
        console.shoot("not-voted")
        people.get_by_label("Vote", exact=True).select_option("Voted")
        expect(person(console, codes[0])).to_be_visible(timeout=TIMEOUT_MS)
        assert check(console.page, "people, filtered") == []
    assert console.errors == []

"""People in the console: search by name or voter code, move, kick, ban, and undo."""

import re
import time

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.e2e.axe import check
from tests.e2e.conftest import OpenScreen
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.phone_scenes import PHONE_SCENES
from tests.e2e.scene_setup import Scene, scene_params, show_scene
from tests.e2e.screens import PHONE, TABLET, TIMEOUT_MS, Screen, vote
from tests.e2e.test_console import OWNER, open_console
from tests.e2e.test_scenes import sized
from tests.server import Server
from tests.socket_clients import open_clients
from voting.protocol import CloseCode

SIZES: dict[str, ViewportSize] = {"desk": {"width": 1280, "height": 800}, "tablet": TABLET}
CLASS = "Ada Lovelace, Rooks\nAlan Turing, Rooks\nGrace Hopper, Doves\nKatherine Johnson, Doves"


def search(page: Page, text: str) -> None:
    page.get_by_role("region", name="People").get_by_role("searchbox").fill(text)


def click_button(page: Page, name: str) -> None:
    page.get_by_role("region", name="People").get_by_role("button", name=name).click()


def test_console_finds_moves_bans_and_readmits_student(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", admission="roster")
    ada = server.ask("roster", event_id=event["id"], text=CLASS)[0]
    console = open_console(server, open_at, event["code"], SIZES["desk"])
    people = console.page.get_by_role("region", name="People")
    with open_clients(server) as clients:
        phone, welcome = clients.phone(event["code"], key=ada)
        expect(people.get_by_role("listitem")).to_have_count(4, timeout=TIMEOUT_MS)
        grace = people.get_by_role("listitem").filter(has_text="Grace")
        expect(grace).to_contain_text("not connected")
        console.shoot("class")
        people.get_by_label("Team").select_option("Rooks")
        expect(people.get_by_role("listitem")).to_have_count(2, timeout=TIMEOUT_MS)
        people.get_by_label("Team").select_option(index=0)
        search(console.page, "love")
        expect(people.get_by_role("listitem")).to_have_count(1, timeout=TIMEOUT_MS)
        click_button(console.page, "Move to Doves")
        assert phone.receive("phone.welcomed")["you"]["team"] == 2
        expect(people.get_by_text("Moved to Doves")).to_be_visible(timeout=TIMEOUT_MS)
        click_button(console.page, "Ban")
        assert phone.closed() == CloseCode.BANNED
        expect(people.get_by_text("Banned")).to_be_visible(timeout=TIMEOUT_MS)
        for size, viewport in SIZES.items():
            sized(console.page, **viewport)
            console.shoot(f"banned-{size}")
            assert check(console.page, f"people at {size}") == []
        console.page.get_by_role("button", name=re.compile(r"Undo: .* banned")).click()
        expect(people.get_by_text("Moved to Doves")).to_be_visible(timeout=TIMEOUT_MS)
        click_button(console.page, "Move back")
        expect(people.get_by_text("Moved to Doves")).to_have_count(0, timeout=TIMEOUT_MS)
        _, back = clients.phone(event["code"], token=welcome["you"]["token"])
        assert back["you"]["team"] == 1
    assert console.errors == []


@pytest.mark.nightly
def test_typed_nickname_is_allowed_then_removed_from_the_phone_at_once(
    server: Server, open_at: OpenScreen
) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", nicknames="typed")
    console = open_console(server, open_at, event["code"], SIZES["desk"])
    people = console.page.get_by_role("region", name="People")
    phone = open_at(server, "nickname", PHONE)
    phone.page.goto(f"/{event['code']}")
    badge = phone.page.locator(".code summary")
    badge.click(timeout=TIMEOUT_MS)
    phone.page.get_by_role("textbox", name="Your own nickname").fill("Annie Lee", timeout=TIMEOUT_MS)
    assert check(phone.page, "nickname") == []
    phone.page.keyboard.press("Enter")
    expect(phone.page.get_by_text("once an organizer has allowed it")).to_be_visible(timeout=TIMEOUT_MS)
    expect(people.get_by_text("Nickname to allow")).to_be_visible(timeout=TIMEOUT_MS)
    search(console.page, "annie")
    click_button(console.page, "Allow nickname")
    expect(people.get_by_text("Nickname to allow")).to_have_count(0, timeout=TIMEOUT_MS)
    console.shoot("nickname")
    click_button(console.page, "Remove nickname")
    expect(phone.page.get_by_text("An organizer removed your nickname.")).to_be_visible(timeout=TIMEOUT_MS)
    expect(phone.page.get_by_text("Annie Lee")).to_have_count(0)
    expect(people.get_by_text("Nickname removed")).to_be_visible(timeout=TIMEOUT_MS)
    assert console.errors + phone.errors == []


def test_console_kicks_voter_code_by_keyboard(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
    console = open_console(server, open_at, event["code"], SIZES["desk"])
    people = console.page.get_by_role("region", name="People")
    with open_clients(server) as clients:
        phone, welcome = clients.phone(event["code"])
        clients.phone(event["code"])
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


MAX_CLICKS, MAX_SECONDS = 3, 10
SEATED = {"lobby", "talk", "voting", "paused", "sealed", "reveal-conflict-picks", "ended-won"}


def shown_voter_code(phone: Page) -> str:
    """The voter code, one tap away: six letters without the space."""
    phone.get_by_label("Voter code").click(timeout=TIMEOUT_MS)
    code = phone.locator(".code b").inner_text()
    phone.get_by_label("Voter code").click()
    return code.replace("\u00a0", "")


def person(console: Screen, voter_code: str) -> Locator:
    people = console.page.get_by_role("region", name="People")
    return people.get_by_role("listitem").filter(has_text=f"{voter_code[:3]}\u00a0{voter_code[3:]}")


@pytest.mark.parametrize("scene", **scene_params(tuple(one for one in PHONE_SCENES if one.name in SEATED)))
def test_voter_code_is_one_tap_away(fake_gateway: FakeGateway, window: Page, scene: Scene) -> None:
    show_scene("phone", scene, window, fake_gateway)
    assert re.fullmatch("[A-Z]{6}", shown_voter_code(window))


def test_phone_is_removed_from_an_open_vote_and_let_back_in(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", window_s=600)
    server.ask("begin", event_id=event["id"])
    phone = open_at(server, "people-phone", PHONE)
    phone.page.goto(f"/{event['code']}")
    phone.wait_for(phase="voting")
    voter_code = shown_voter_code(phone.page)
    vote(phone, 3)
    console = open_console(server, open_at, event["code"], SIZES["desk"])
    row = person(console, voter_code)
    expect(row).to_contain_text("Voted", timeout=TIMEOUT_MS)
    expect(row).to_contain_text("connected")
    votes = console.page.get_by_role("region", name="People").get_by_label("Vote", exact=True)
    votes.select_option("Not voted yet")
    expect(row).to_have_count(0, timeout=TIMEOUT_MS)
    votes.select_option("Voted")
    expect(row).to_be_visible(timeout=TIMEOUT_MS)
    assert check(console.page, "people, filtered") == []

    steps = [
        console.page.get_by_role("link", name="People"),
        row.locator("summary"),
        row.get_by_role("button", name="Remove"),
    ]
    began = time.monotonic()
    for step in steps:
        step.click()
    expect(phone.page.get_by_text("An organizer removed you.")).to_be_visible(timeout=TIMEOUT_MS)
    assert time.monotonic() - began <= MAX_SECONDS
    assert len(steps) <= MAX_CLICKS
    console.shoot("removed")
    phone.shoot("removed")
    expect(phone.page.get_by_text(f"{voter_code[:3]}\u00a0{voter_code[3:]}")).to_be_visible()
    expect(row).to_contain_text("Removed", timeout=TIMEOUT_MS)

    console.page.get_by_role("button", name=re.compile(r"Undo: .* removed")).click()
    expect(phone.page.get_by_text("An organizer let you back in.")).to_be_visible(timeout=TIMEOUT_MS)
    expect(phone.page.locator("main")).to_have_attribute("data-status", "counted", timeout=TIMEOUT_MS)
    phone.shoot("let-back-in")

    expect(row).not_to_contain_text("Removed", timeout=TIMEOUT_MS)
    row.get_by_role("button", name="Ban").click()
    expect(phone.page.get_by_text("An organizer banned you")).to_be_visible(timeout=TIMEOUT_MS)
    phone.shoot("banned")
    with open_clients(server) as clients:
        other, _ = clients.phone(event["code"])
        director = clients.console(event["code"], server.ask("session", name=OWNER))
        director.receive("console.welcomed")
        director.say("action.ask", id=1, action="turn.close")
        reveal = other.receive("turn.revealed")["state"]["match"]["reveal"]
        assert reveal["red"]["counts"][2] + reveal["yellow"]["counts"][2] == 1, "the ballot counts"
    row.get_by_role("button", name="Unban").click()
    expect(phone.page.get_by_text("An organizer let you back in.")).to_be_visible(timeout=TIMEOUT_MS)
    assert console.errors == []

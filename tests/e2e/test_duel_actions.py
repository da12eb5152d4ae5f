"""A duel is resigned or drawn, a turn taken back, and a rematch played, on two phones."""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, SMALL_PHONE, Screen
from tests.server import Server


def begin(server: Server, open_at: OpenScreen, *, casual: bool = False) -> list[Screen]:
    """Open the phones of both players of a duel after two turns."""
    made = server.ask("duel", casual=casual)
    sizes = zip((PHONE, SMALL_PHONE), made["keys"], strict=True)
    phones = [open_at(size, f"/{made['code']}#{key}") for size, key in sizes]
    for phone in phones:
        phone.wait_for(phase="voting")
    server.ask("play_to", event_id=made["id"], picks=[(1, 2), (2, 1)])
    return phones


def tap(phone: Screen, *labels: str) -> None:
    for label in labels:
        phone.page.get_by_role("button", name=label).click()


def test_player_resigns_after_confirming_and_plays_a_rematch(server: Server, open_at: OpenScreen) -> None:
    one, two = begin(server, open_at)
    expect(one.page.get_by_role("button", name="Resign")).to_be_visible()
    expect(one.page.get_by_role("button", name="take back")).to_have_count(0)  # the game is rated
    sides = [phone.page.locator("body").get_attribute("data-side") or "" for phone in (one, two)]
    tap(one, "Resign")
    expect(one.page.get_by_role("button", name="Really resign?")).to_be_visible()
    one.wait_for(phase="voting")
    tap(one, "Really resign?")
    for phone, changed in ((one, r"Rating 11\d\d \(\S\d\d\)"), (two, r"Rating 12\d\d \(\+\d\d\)")):
        phone.wait_for(phase="ended")
        expect(phone.page.locator(".rating")).to_have_text(re.compile(changed))
    tap(one, "Rematch")
    expect(one.page.get_by_text("Rematch requested")).to_be_visible()
    tap(two, "Accept the rematch")
    for phone, side in ((two, sides[0]), (one, sides[1])):
        phone.wait_for(phase="voting", side=side)


def test_declined_draw_goes_on_and_accepted_draw_ends(server: Server, open_at: OpenScreen) -> None:
    one, two = begin(server, open_at)
    tap(one, "Offer a draw", "Really offer a draw?")
    expect(one.page.get_by_text("Draw offered")).to_be_visible()
    expect(two.page.get_by_text("Your opponent offers a draw.")).to_be_visible()
    tap(two, "Decline")
    expect(one.page.get_by_text("Declined")).to_be_visible()
    one.wait_for(phase="voting")
    tap(two, "Offer a draw", "Really offer a draw?")
    tap(one, "Accept")
    for phone in (one, two):
        phone.wait_for(phase="ended")


def test_casual_players_take_last_turn_back(server: Server, open_at: OpenScreen) -> None:
    one, two = begin(server, open_at, casual=True)
    tap(one, "Ask to take back the turn")
    expect(two.page.get_by_text("asks to take back the last turn")).to_be_visible()
    tap(two, "Accept")
    for phone in (one, two):
        expect(phone.page.get_by_text("asks to take back")).to_have_count(0)
        phone.wait_for(phase="voting")
        expect(phone.page.get_by_role("button", name="Column 1, 1 of 6 full")).to_be_visible()

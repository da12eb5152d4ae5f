import re

import pytest
from playwright.sync_api import expect

from tests.e2e.screens import PHONE, SMALL_PHONE, TIMEOUT_MS, OpenScreen, Screen, vote
from tests.e2e.scripts import page_script
from tests.server import Server


def begin(server: Server, open_at: OpenScreen, *, casual: bool = False, played: bool = True) -> list[Screen]:
    """Open the phones of both players of a duel after two turns, or at its start."""
    made = server.ask("duel", casual=casual)
    phones = [open_at(PHONE), open_at(SMALL_PHONE)]
    phones[0].page.add_init_script(page_script("bell"))
    for phone, key in zip(phones, made["keys"], strict=True):
        phone.page.goto(f"/{made['code']}#{key}")
        phone.wait_for(phase="voting")
    if played:
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


def test_casual_players_take_turn_back_decline_a_draw_and_agree(server: Server, open_at: OpenScreen) -> None:
    one, two = begin(server, open_at, casual=True)
    tap(one, "Ask to take back the turn")
    expect(two.page.get_by_text("asks to take back the last turn")).to_be_visible()
    tap(two, "Accept")
    for phone in (one, two):
        expect(phone.page.get_by_text("asks to take back")).to_have_count(0)
        phone.wait_for(phase="voting")
        expect(phone.page.get_by_role("button", name="Column 1, 1 of 6 full")).to_be_visible()
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


@pytest.mark.nightly
def test_player_of_days_is_notified_of_turn_in_title_and_browser(server: Server, open_at: OpenScreen) -> None:
    one, two = begin(server, open_at, played=False)
    page, my_turn = one.page, re.compile("^Your turn · ")
    expect(page).to_have_title(my_turn)
    expect(page.get_by_role("button", name="Tell me")).to_have_count(0)
    assert page.evaluate("rung") == []
    vote(one, 1)
    expect(page).not_to_have_title(my_turn)
    tap(one, "Notify me on my turn")
    expect(page.get_by_text("You'll be notified")).to_be_visible()
    for action in ("Abort game", "Offer a draw"):
        expect(page.get_by_role("button", name=action)).to_be_visible()
    assert len(page.evaluate("rung")) == 1
    vote(two, 2)
    one.wait_for(phase="reveal")
    expect(page).to_have_title(my_turn, timeout=3 * TIMEOUT_MS)
    assert [text.startswith("Your turn: Guest ") for text in page.evaluate("rung")[1:]] == [True]

"""The single selector on phones and display: a secret half-turn, a public one, and the reveal of both."""

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.e2e.conftest import OpenScreen, Show
from tests.e2e.open_turn import make_event, open_turn
from tests.e2e.scene_setup import MIDDLE, timed_selector
from tests.e2e.screens import OLD_PROJECTOR, PROJECTOR, says, vote
from tests.e2e.visible_text import faults, visible_lines
from tests.server import Server


def test_single_selector_full_turn(server: Server, open_at: OpenScreen) -> None:
    choices = {"pace": "normal", "game": "single-selector", "options": {"token": "red"}}
    event, screens = make_event(server, open_at, **choices)
    display, red, yellow = screens
    display.page.set_viewport_size(OLD_PROJECTOR)
    open_turn(server, event, screens)
    says(red, "Choose in secret")
    says(yellow, "Rooks chooses in secret")
    expect(yellow.page.locator("[data-column]:enabled")).to_have_count(0)
    vote(red, 4)
    says(red, "Counted: your vote for\u00a04.")
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".chest")).to_contain_text("Chosen in secret")
    server.ask("open_turn_now", event_id=event["id"])
    says(red, "Doves votes: everyone sees it.")
    says(yellow, "Vote now: everyone sees it.")
    assert display.page.locator(".choice, .bars .votes[data-side=red]").count() == 0
    vote(yellow, 4)
    expect(display.page.locator(".bars .votes").nth(3)).to_have_attribute("data-votes", "1")
    name = "Column 4, 0 of 6 full, 1 vote"
    for phone, label in ((red, name), (yellow, f"{name}, your choice")):
        expect(phone.page.locator("[data-column='4']")).to_have_accessible_name(label)
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .column")).to_have_text(["4", "4"])
    expect(display.page.locator(".chest")).to_have_count(0)
    for phone in (red, yellow):
        expect(phone.page.locator(".receipts summary")).to_contain_text("Counted and checked")
    says(yellow, "Choose in secret")


@pytest.mark.parametrize("size", [PROJECTOR, OLD_PROJECTOR], ids=["16x9", "4x3"])
def test_seal_and_time_bank_do_not_overlap(show: Show, size: ViewportSize) -> None:
    page = show("display", timed_selector(MIDDLE))
    page.set_viewport_size(size)
    expect(page.locator(".seal:not(.time-bank)")).to_have_text("Sealed")
    expect(page.locator(".time-bank")).to_have_count(2)
    assert faults(visible_lines(page), size["width"], size["height"]) == []

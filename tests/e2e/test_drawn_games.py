"""Games with their own drawing, on phones, display and report, by clicking and by keyboard."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.open_turn import make_event, open_turn
from tests.e2e.screens import PROJECTOR, says, vote
from tests.server import Server

GOOFSPIEL = {"game": "goofspiel", "options": {"cards": 5, "order": [3, 5, 1, 2, 4]}}
IS_USABLE_JS = """() => document.documentElement.scrollWidth <= innerWidth
  && [...document.querySelectorAll("button[data-column]")].map((one) => one.getBoundingClientRect())
    .every(({bottom, width, height}) => bottom <= innerHeight && Math.min(width, height) >= 44)"""


@pytest.mark.parametrize(
    ("game", "picks", "names", "sentence", "labels"),
    [
        pytest.param(
            GOOFSPIEL,
            (2, 4),
            ["2", "4"],
            "Rooks bid 2, Doves bid 4: Doves won 3. Rooks 0, Doves 3.",
            ["Prize", "Points"],
            id="goofspiel",
        ),
        pytest.param({"game": "trails"}, (1, 3), ["↑", "↓"], "Rooks: ↑, Doves: ↓.", [], id="trails"),
    ],
)
def test_drawn_game_turn_is_shown_on_all_pages(
    server: Server,
    open_at: OpenScreen,
    *,
    game: dict[str, Any],
    picks: tuple[int, int],
    names: list[str],
    sentence: str,
    labels: list[str],
) -> None:
    event, screens = make_event(server, open_at, **game)
    display, red, yellow = screens
    open_turn(server, event, screens)
    vote(red, picks[0])
    says(red, f"your vote for\u00a0{names[0]}.")
    yellow.page.locator("[data-column]:enabled").first.wait_for()
    yellow.page.keyboard.press(str(picks[1]))
    expect(yellow.page.locator("main")).to_have_attribute("data-status", "counted")
    for screen in screens:
        for label in labels:
            expect(screen.page.locator(".mark").get_by_text(label).first).to_be_visible()
        assert screen.page.evaluate(IS_USABLE_JS)
    before = marks(display.page)
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .column")).to_have_text(names)
    expect(red.page.locator(".sentence")).to_have_text(sentence)
    assert marks(display.page) != before
    report = open_at(PROJECTOR, f"/report/{event['code']}/1").page
    expect(report.get_by_text(sentence)).to_be_visible()
    expect(report.locator("svg.drawing").first).to_be_visible()


def marks(page: Page) -> list[str]:
    """The position of every mark of the drawing."""
    return [str(mark.get_attribute("style")) for mark in page.locator(".mark").all()]

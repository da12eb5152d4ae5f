"""Games with their own drawing, on phones, display and report, by clicking and by keyboard."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.open_turn import make_event, open_turn
from tests.e2e.screens import PROJECTOR, TIMEOUT_MS, Screen, vote
from tests.server import Server


@pytest.mark.parametrize(
    ("game", "options", "picks", "names", "sentence", "labels"),
    [
        (
            "goofspiel",
            {"cards": 5, "order": [3, 5, 1, 2, 4]},
            (2, 4),
            ["2", "4"],
            "Rooks bid 2, Doves bid 4: Doves won 3. Rooks 0, Doves 3.",
            ["Prize", "Points"],
        ),
        ("trails", {}, (1, 3), ["↑", "↓"], "Rooks: ↑, Doves: ↓.", []),
    ],
    ids=["goofspiel", "trails"],
)
def test_drawn_game_turn_is_shown_on_all_pages(
    server: Server,
    open_at: OpenScreen,
    *,
    game: str,
    options: dict[str, Any],
    picks: tuple[int, int],
    names: list[str],
    sentence: str,
    labels: list[str],
) -> None:
    event, screens = make_event(server, open_at, game=game, options=options)
    display, red, yellow = screens
    open_turn(server, event, screens)
    vote(red, picks[0])
    expect(red.page.locator(".sentence")).to_contain_text(f"your vote for\u00a0{names[0]}.")
    yellow.page.locator("[data-column]:enabled").first.wait_for(timeout=TIMEOUT_MS)
    yellow.page.keyboard.press(str(picks[1]))
    expect(yellow.page.locator("main")).to_have_attribute("data-status", "counted", timeout=TIMEOUT_MS)
    for screen in screens:
        for label in labels:
            expect(screen.page.locator(".mark").get_by_text(label).first).to_be_visible()
        screen.shoot("voting")
        fits(screen)
    before = drawn(display)
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .column")).to_have_text(names, timeout=TIMEOUT_MS)
    display.shoot("picks")
    expect(red.page.locator(".sentence")).to_have_text(sentence, timeout=TIMEOUT_MS)
    assert drawn(display) != before
    for screen in screens:
        screen.shoot("moved")
        assert screen.errors == []
    report = open_at(server, f"{game}-report", PROJECTOR)
    report.page.goto(f"/report/{event['code']}/1")
    expect(report.page.get_by_text(sentence)).to_be_visible()
    expect(report.page.locator("svg.drawing").first).to_be_visible()
    report.shoot("turn")


def drawn(screen: Screen) -> list[str]:
    """The position of every mark of the drawing."""
    marks = screen.page.locator(".mark")
    return [str(mark.get_attribute("style")) for mark in marks.all()]


def fits(screen: Screen) -> None:
    """Nothing exceeds the screen, and every button is large enough to tap."""
    page = screen.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for box in page.locator("button[data-column]").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().toJSON())"
    ):
        assert box["bottom"] <= page.viewport_size["height"]  # type: ignore[index]
        assert min(box["width"], box["height"]) >= 44

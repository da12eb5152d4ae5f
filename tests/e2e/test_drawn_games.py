"""Games with their own drawing, on phones, display and report, by clicking and by keyboard."""

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen, vote
from tests.server import Server

SMALL = {"width": 320, "height": 568}


@dataclass(frozen=True)
class Shown:
    """A game and its first turn: the picks, their names and the sentence of the resolution."""

    game: str
    options: dict[str, Any]
    picks: tuple[int, int]
    names: tuple[str, str]
    sentence: str
    labels: tuple[str, ...] = ()


GOOFSPIEL = Shown(
    "goofspiel",
    {"cards": 5, "order": [3, 5, 1, 2, 4]},
    (2, 4),
    ("2", "4"),
    "Rooks bid 2, Doves bid 4: Doves won 3. Rooks 0, Doves 3.",
    ("Prize", "Points"),
)
TRAILS = Shown("trails", {}, (1, 3), ("↑", "↓"), "Rooks: ↑, Doves: ↓.")


@pytest.mark.parametrize("shown", [GOOFSPIEL, TRAILS], ids=lambda shown: shown.game)
def test_drawn_game_turn_is_shown_on_all_pages(server: Server, open_at: OpenScreen, shown: Shown) -> None:
    event = server.ask(
        "event", lobby="open", window_s=90, pace="dramatic", game=shown.game, options=shown.options
    )
    display, red, yellow = (
        open_at(server, f"{shown.game}-{name}", size)
        for name, size in (("display", PROJECTOR), ("red", PHONE), ("yellow", SMALL))
    )
    display.page.goto(f"/display/{event['code']}")
    for phone, team in ((red, "1"), (yellow, "2")):
        phone.page.goto(f"/{event['code']}")
        phone.wait_for(phase="lobby", team=team)
    server.ask("open_turn_now", event_id=event["id"])
    vote(red, shown.picks[0])
    expect(red.page.locator(".sentence")).to_contain_text(f"your vote for\u00a0{shown.names[0]}.")
    yellow.page.locator("[data-column]:enabled").first.wait_for(timeout=TIMEOUT_MS)
    yellow.page.keyboard.press(str(shown.picks[1]))
    expect(yellow.page.locator("main")).to_have_attribute("data-status", "counted", timeout=TIMEOUT_MS)
    for screen in (display, red, yellow):
        for label in shown.labels:
            expect(screen.page.locator(".mark").get_by_text(label).first).to_be_visible()
        screen.shoot("voting")
        fits(screen)
    before = drawn(display)
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .column")).to_have_text(list(shown.names), timeout=TIMEOUT_MS)
    display.shoot("picks")
    expect(red.page.locator(".sentence")).to_have_text(shown.sentence, timeout=TIMEOUT_MS)
    assert drawn(display) != before
    for screen in (display, red, yellow):
        screen.shoot("moved")
        assert screen.errors == []
    report = open_at(server, f"{shown.game}-report", PROJECTOR)
    report.page.goto(f"/report/{event['code']}/1")
    expect(report.page.get_by_text(shown.sentence)).to_be_visible()
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

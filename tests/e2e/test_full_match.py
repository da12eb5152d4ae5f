"""The first turns of a match by clicking: an organizer, two phones in two teams, and the display."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.e2e.conftest import PASSWORD
from tests.e2e.screens import (
    PHONE,
    PROJECTOR,
    TABLET,
    TIMEOUT_MS,
    Screen,
    open_screen,
    press,
    vote,
    wait_until,
)

# Red's and yellow's column in each turn; the second is a conflict.
MATCH = [(1, 2), (4, 4)]

EMPTY = "Empty"


@dataclass(frozen=True, slots=True)
class EventPages:
    console: Screen
    display: Screen
    red: Screen
    yellow: Screen
    code: str

    @property
    def screens(self) -> tuple[Screen, Screen, Screen, Screen]:
        return self.console, self.display, self.red, self.yellow

    def shoot(self, moment: str) -> None:
        for screen in self.screens:
            screen.shoot(moment)


def log_in(page: Page, name: str) -> None:
    page.goto("/console/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def make_event(page: Page) -> str:
    """Fill in the form of a new event; return its join code. The organizer may have others."""
    page.goto("/console/new/")
    page.get_by_role("link", name=EMPTY).click()
    page.get_by_label("Event name").fill("Summer fair")
    page.get_by_label("First team, red").fill("North Hall")
    page.get_by_label("Second team, yellow").fill("South Hall")
    page.get_by_text("More settings").click()
    page.locator("[name=pace][value='dramatic']").check()
    page.locator("[name=window_s_usual][value='300']").check()
    page.get_by_label("Close as soon as everyone connected has voted").check()
    page.get_by_role("button", name="Create event").click()
    expect(page.locator("[data-action]").first).to_be_visible(timeout=TIMEOUT_MS)
    return page.url.rstrip("/").rsplit("/", 1)[1]


@pytest.fixture(scope="module")
def pages(browser: Browser, base_url: str, shots: Path, organizer: str) -> Iterator[EventPages]:
    """The pages of a new event in which a match has started."""
    sizes = {"console": TABLET, "display": PROJECTOR, "red": PHONE, "yellow": PHONE}
    screens = {name: open_screen(browser, base_url, shots, name, size) for name, size in sizes.items()}
    for screen in screens.values():
        screen.animate()
    log_in(screens["console"].page, organizer)
    screens["console"].shoot("no-events")
    pages = EventPages(**screens, code=make_event(screens["console"].page))
    people_join(pages)
    press(pages.console, "match.start")
    yield pages
    for screen in screens.values():
        screen.page.context.close()


def test_first_turns_by_clicking(pages: EventPages) -> None:
    for number, (red, yellow) in enumerate(MATCH, 1):
        play_turn(pages, number, red, yellow)
    for cell, owner in {"1,1": "red", "2,1": "yellow", "4,1": "red", "4,2": "yellow"}.items():
        hole = pages.display.page.locator(f'[data-cell="{cell}"]')
        expect(hole).to_have_attribute("data-owner", owner, timeout=TIMEOUT_MS)
    assert [screen.errors for screen in pages.screens] == [[], [], [], []]


def people_join(pages: EventPages) -> None:
    """The first phone arrives before the lobby opens, and joins automatically."""
    pages.display.page.goto(f"/display/{pages.code.lower()}")
    pages.red.page.goto("/")
    pages.red.shoot("code")
    pages.red.page.locator("input").fill(pages.code.lower())
    pages.red.page.keyboard.press("Enter")
    expect(pages.red.page.get_by_role("heading")).to_have_text("Opening soon", timeout=TIMEOUT_MS)
    press(pages.console, "lobby.open")
    pages.display.wait_for(phase="lobby")
    pages.red.wait_for(team="1", phase="lobby")
    pages.yellow.page.goto(f"/{pages.code}")
    pages.yellow.wait_for(team="2", phase="lobby")
    for place in ("1", "2"):
        expect(pages.display.page.locator(f'[data-joined="{place}"]')).to_have_text("1", timeout=TIMEOUT_MS)
    pages.shoot("lobby")


def play_turn(pages: EventPages, number: int, red: int, yellow: int) -> None:
    for screen in (pages.red, pages.yellow, pages.display):
        screen.wait_for(phase="voting")
    pages.display.wait_for(turn=str(number))
    vote(pages.red, red)
    if number == 1:
        pages.shoot("voting")
        pages.red.page.reload()
        pages.red.wait_for(phase="voting")
        expect(pages.red.page.locator("main")).to_have_attribute("data-status", "counted")
    vote(pages.yellow, yellow)
    pages.display.wait_for(phase="reveal")
    for screen in (pages.red, pages.yellow):
        screen.wait_for(phase="reveal")
    if red == yellow:
        shoot_reveal(pages)


def shoot_reveal(pages: EventPages) -> None:
    """Take six screenshots during the reveal."""
    for moment in range(6):
        pages.display.shoot(f"reveal-{moment}")
    pages.red.shoot("reveal")
    pages.console.shoot("reveal")


def test_phone_keeps_seat_and_vote_after_lost_connection(pages: EventPages) -> None:
    """The socket is closed during a window; the phone reconnects and still shows its vote."""
    lines: list[WebSocketRoute] = []

    def connect(line: WebSocketRoute) -> None:
        lines.append(line)
        line.connect_to_server()

    pages.yellow.page.route_web_socket("**/ws/phone", connect)
    pages.yellow.page.reload()
    pages.yellow.wait_for(phase="voting", team="2")
    vote(pages.yellow, 5)
    lines[-1].close(code=4004)
    wait_until(pages.yellow, lambda: len(lines) >= 2)
    expect(pages.yellow.page.locator("main")).to_have_attribute("data-status", "counted", timeout=TIMEOUT_MS)
    pages.yellow.wait_for(phase="voting", team="2")
    press(pages.console, "turn.pause")
    for screen in (pages.red, pages.yellow, pages.display):
        screen.wait_for(phase="paused")
    pages.shoot("paused")
    press(pages.console, "turn.resume")
    pages.red.wait_for(phase="voting")

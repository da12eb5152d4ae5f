"""A whole evening by clicking: an organizer, two phones on two teams, the projector."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.e2e.conftest import PASSWORD
from tests.e2e.faces import PHONE, PROJECTOR, SOON_MS, TABLET, Face, open_face, press, vote, wait_until

# Red's and yellow's column in each turn; the second is a conflict, and red ends with four in column 1.
MATCH = [(1, 2), (4, 4), (1, 3), (1, 7), (1, 6)]
LINES_AFTER_THE_CUT = 2
DROPPED = {"1,1": "red", "2,1": "yellow", "4,1": "red", "4,2": "yellow", "3,1": "yellow", "1,4": "red"}

NEW_EVENT = re.compile("Make your first event|New event")  # others may have made some here


@dataclass(frozen=True, slots=True)
class Evening:
    console: Face
    display: Face
    red: Face
    yellow: Face
    code: str

    @property
    def faces(self) -> tuple[Face, Face, Face, Face]:
        return self.console, self.display, self.red, self.yellow

    def shoot(self, moment: str) -> None:
        for face in self.faces:
            face.shoot(moment)


def log_in(page: Page, name: str) -> None:
    page.goto("/console/")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def make_event(page: Page) -> str:
    """Fill in the form of a new event; its join code."""
    page.get_by_role("link", name=NEW_EVENT).click()
    page.get_by_role("link", name="Empty").click()
    page.get_by_label("Name of the event").fill("Summer fair")
    page.get_by_label("First team, red").fill("North Hall")
    page.get_by_label("Second team, yellow").fill("South Hall")
    page.locator("[name=reveal_s_usual][value='8']").check()
    page.locator("[name=window_s_usual][value='300']").check()
    page.get_by_label("Close as soon as everyone connected has voted").check()
    page.get_by_role("button", name="Make the event").click()
    expect(page.locator("[data-action]").first).to_be_visible(timeout=SOON_MS)
    return page.url.rstrip("/").rsplit("/", 1)[1]


@pytest.fixture(scope="module")
def evening(browser: Browser, base_url: str, shots: Path, organizer: str) -> Iterator[Evening]:
    sizes = {"console": TABLET, "display": PROJECTOR, "red": PHONE, "yellow": PHONE}
    faces = {name: open_face(browser, base_url, shots, name, size) for name, size in sizes.items()}
    log_in(faces["console"].page, organizer)
    faces["console"].shoot("no-events")
    code = make_event(faces["console"].page)
    yield Evening(**faces, code=code)
    for face in faces.values():
        face.page.context.close()


def test_a_whole_match_by_clicking(evening: Evening) -> None:
    people_join(evening)
    press(evening.console, "match.start")
    for number, (red, yellow) in enumerate(MATCH, 1):
        play_turn(evening, number, red, yellow)
    evening.display.wait_for(phase="ended", result="red")
    for phone in (evening.red, evening.yellow):
        phone.wait_for(phase="ended")
    evening.shoot("ended")
    for cell, owner in DROPPED.items():
        hole = evening.display.page.locator(f'[data-cell="{cell}"]')
        expect(hole).to_have_attribute("data-owner", owner)
    assert [face.troubles for face in evening.faces] == [[], [], [], []]


def people_join(evening: Evening) -> None:
    """The first comes before the doors open, and is let in without doing anything."""
    evening.display.page.goto(f"/display/{evening.code.lower()}")
    evening.red.page.goto("/")
    evening.red.shoot("code")
    evening.red.page.locator("input").fill(evening.code.lower())
    evening.red.page.keyboard.press("Enter")
    expect(evening.red.page.get_by_role("heading")).to_have_text("The doors open soon", timeout=SOON_MS)
    press(evening.console, "lobby.open")
    evening.display.wait_for(phase="lobby")
    evening.red.wait_for(team="1", phase="lobby")
    evening.yellow.page.goto(f"/{evening.code}")
    evening.yellow.wait_for(team="2", phase="lobby")
    for place in ("1", "2"):
        expect(evening.display.page.locator(f'[data-joined="{place}"]')).to_have_text("1", timeout=SOON_MS)
    evening.shoot("lobby")


def play_turn(evening: Evening, number: int, red: int, yellow: int) -> None:
    for face in (evening.red, evening.yellow, evening.display):
        face.wait_for(phase="voting")
    evening.display.wait_for(turn=str(number))
    vote(evening.red, red)
    if number == 1:
        evening.shoot("voting")
        evening.red.page.reload()
        evening.red.wait_for(phase="voting")
        expect(evening.red.page.locator("main")).to_have_attribute("data-status", "counted")
    vote(evening.yellow, yellow)
    evening.display.wait_for(phase="reveal")
    for face in (evening.red, evening.yellow):
        face.wait_for(phase="reveal")
    if red == yellow:
        shoot_the_reveal(evening)


def shoot_the_reveal(evening: Evening) -> None:
    """Six moments of it, while it lasts."""
    for moment in range(6):
        evening.display.shoot(f"reveal-{moment}")
    evening.red.shoot("reveal")
    evening.console.shoot("reveal")


def test_a_lost_connection_keeps_seat_and_vote(evening: Evening) -> None:
    """The socket is cut in the middle of a window: the phone comes back to its vote."""
    lines: list[WebSocketRoute] = []

    def connect(line: WebSocketRoute) -> None:
        lines.append(line)
        line.connect_to_server()

    evening.yellow.page.route_web_socket("**/ws/phone", connect)
    evening.yellow.page.reload()
    evening.yellow.wait_for(phase="ended")
    press(evening.console, "match.start")
    evening.yellow.wait_for(phase="voting", team="2")
    vote(evening.yellow, 5)
    lines[-1].close(code=4004)
    wait_until(evening.yellow, lambda: len(lines) >= LINES_AFTER_THE_CUT)
    expect(evening.yellow.page.locator("main")).to_have_attribute("data-status", "counted", timeout=SOON_MS)
    evening.yellow.wait_for(phase="voting", team="2")
    press(evening.console, "turn.pause")
    for face in (evening.red, evening.yellow, evening.display):
        face.wait_for(phase="paused")
    evening.shoot("paused")
    press(evening.console, "turn.resume")
    evening.red.wait_for(phase="voting")

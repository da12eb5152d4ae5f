"""A match whose reveals and next turns wait for the organizer."""

import pytest

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PHONE, TIMEOUT_MS, Screen, press, vote
from tests.e2e.test_console import OWNER, open_console, open_wall
from tests.server import Server

pytestmark = pytest.mark.nightly

# Red's and yellow's column in each turn: red ends with four in column 1.
MATCH = [(1, 2), (1, 3), (1, 7), (1, 6)]
# Long enough for what should not happen without the key.
UNLED_MS = 1_500
AFTER_THE_REVEAL_MS = 15_000


def join(server: Server, open_at: OpenScreen, code: str) -> list[Screen]:
    """Open a phone in each team."""
    phones = [open_at(server, f"phone-{number}", PHONE) for number in (1, 2)]
    for phone in phones:
        phone.page.goto(f"/{code}")
        phone.wait_for(phase="lobby")
    return sorted(phones, key=lambda phone: phone.page.locator("body").get_attribute("data-team") or "")


@pytest.mark.parametrize(("led_from", "key"), [("console", "Space"), ("wall", "PageDown")])
def test_host_plays_a_match_with_one_key(
    led_from: str, key: str, server: Server, open_at: OpenScreen
) -> None:
    terms = {"window_s": 300, "host_wait_s": 180, "close_early": True, "pace": "brisk"}
    event = server.ask("event", owner=OWNER, lobby="open", **terms)
    console = open_console(server, open_at, event["code"])
    red, yellow = join(server, open_at, event["code"])
    press(console, "match.start")
    wall = open_wall(console, server, open_at)
    led = console
    if led_from == "wall":
        sign_in(wall.page, server, OWNER)
        wall.page.reload()
        led = wall
    else:
        console.page.locator("summary").first.click()  # it doesn't keep the focus
    for number, (own, others) in enumerate(MATCH, 1):
        wall.wait_for(phase="voting", turn=str(number))
        red.wait_for(phase="voting")
        vote(red, own)
        vote(yellow, others)
        wall.wait_for(phase="sealed")
        led.page.wait_for_timeout(UNLED_MS)
        red.wait_for(phase="sealed")
        led.page.keyboard.press(key)
        red.wait_for(phase="reveal")
        if number < len(MATCH):
            led.page.wait_for_timeout(AFTER_THE_REVEAL_MS)
            assert wall.page.locator("body").get_attribute("data-phase") != "voting"
            led.page.keyboard.press(key)
    red.wait_for(2 * TIMEOUT_MS, phase="ended")
    assert console.errors + red.errors + yellow.errors == []


def test_absent_host_stalls_nothing(server: Server, open_at: OpenScreen) -> None:
    terms = {"window_s": 300, "host_wait_s": 3, "close_early": True, "pace": "brisk"}
    event = server.ask("event", owner=OWNER, lobby="open", **terms)
    red, yellow = join(server, open_at, event["code"])
    server.ask("begin", event_id=event["id"])
    red.wait_for(phase="voting")
    vote(red, 1)
    vote(yellow, 2)
    red.wait_for(phase="sealed")
    red.wait_for(phase="reveal")
    red.wait_for(2 * TIMEOUT_MS, phase="voting")

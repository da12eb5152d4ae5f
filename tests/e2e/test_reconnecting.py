"""Reconnecting in a browser: gateway failures, one seat in several windows, a full admission queue."""

import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.open_turn import make_event, open_turn
from tests.e2e.screens import PHONE, TIMEOUT_MS, vote, wait_until
from tests.server import Server, running_server

# The deferred part is fetched after the first vote and has the texts for a lost connection.
DEFERRED_PART_IS_LOADED = """() => performance.getEntriesByType("resource")
  .some(({name, responseEnd}) => name.includes("/deferred.") && responseEnd > 0)"""
ELSEWHERE = "Your seat is open in another window"
RESTART_MS = 3 * TIMEOUT_MS  # killed gateways start again, beside other tests


@pytest.fixture(scope="module")
def two_gateways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("coming-back"), gateways=2) as server:
        yield server


def test_board_and_ballot_survive_restart_of_all_gateways(two_gateways: Server, open_at: OpenScreen) -> None:
    server = two_gateways
    # A slow phone may return after the grace period.
    event, screens = make_event(server, open_at, close_early=False, pace="normal")
    display, red, yellow = screens
    open_turn(server, event, screens)
    vote(red, 2)
    red.page.wait_for_function(DEFERRED_PART_IS_LOADED)
    for name in server.stack.gateway_names:
        pid = server.supervisor.pid(name)
        assert pid
        os.kill(pid, signal.SIGKILL)
    red.wait_for(phase="lost")
    red.page.locator('[data-column="5"]').click()
    expect(red.page.locator("main")).to_have_attribute("data-status", "sending")
    expect(red.page.locator(".sentence")).to_contain_text("Not counted yet: your vote for\u00a05")
    red.shoot("away")
    expect(display.page.locator(".cabinet")).to_be_visible()
    for screen in screens:
        body = screen.page.locator("body")
        expect(body).to_have_attribute("data-phase", "voting", timeout=RESTART_MS)
    expect(red.page.locator("main")).to_have_attribute("data-status", "counted", timeout=TIMEOUT_MS)
    vote(yellow, 7)
    expect(yellow.page.locator("main")).to_have_attribute("data-status", "counted", timeout=TIMEOUT_MS)
    server.ask("close_after", event_id=event["id"], ms=500)
    for screen in screens:
        screen.wait_for(phase="reveal")
    expect(red.page.locator(".corner.red .picked")).to_have_text("5 · 100%", timeout=TIMEOUT_MS)
    expect(display.page.locator('[data-cell="5,1"]')).to_have_attribute(
        "data-owner", "red", timeout=TIMEOUT_MS
    )


def test_newest_browser_windows_keep_the_seat(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    first = open_at(server, "back-seat", PHONE)
    first.page.goto(f"/{event['code']}")
    first.wait_for(phase="lobby", team="1")
    others = [first.page.context.new_page() for _ in range(4)]
    for page in others:
        page.goto(f"/{event['code']}")
        expect(page.locator("body")).to_have_attribute("data-team", "1", timeout=TIMEOUT_MS)
    expect(first.page.get_by_role("heading")).to_have_text(ELSEWHERE, timeout=TIMEOUT_MS)
    first.shoot("elsewhere")
    first.page.get_by_role("button", name="Continue here").click()
    first.wait_for(phase="lobby", team="1")
    expect(others[0].get_by_role("heading")).to_have_text(ELSEWHERE, timeout=TIMEOUT_MS)
    for page in others[1:]:
        expect(page.locator("body")).to_have_attribute("data-phase", "lobby")


def test_phone_reconnects_at_once_when_online(server: Server, open_at: OpenScreen) -> None:
    """The page's clock is paused, so only the `online` event can make it reconnect."""
    lines: list[WebSocketRoute] = []

    def answer_first_and_sixth(line: WebSocketRoute) -> None:
        lines.append(line)
        if len(lines) in {1, 6}:
            line.connect_to_server()
        else:
            line.close(code=1001)

    event = server.ask("event", lobby="open")
    screen = open_at(server, "back-asleep", PHONE)
    screen.page.add_init_script("Math.random = () => 0.99")
    screen.page.clock.install()
    screen.page.route_web_socket("**/ws/phone", answer_first_and_sixth)
    screen.page.goto(f"/{event['code']}")
    screen.wait_for(phase="lobby")
    screen.page.clock.pause_at(screen.page.evaluate("Date.now() + 1000"))
    lines[0].close(code=1001)
    for attempt, wait_ms in enumerate((500, 1_000, 2_000, 4_000), 2):
        expect(screen.page.locator(".hint")).to_have_text("Reconnecting")
        screen.page.clock.run_for(wait_ms)
        wait_until(screen, partial(has, lines, attempt))
    screen.page.evaluate("dispatchEvent(new Event('online'))")
    screen.page.clock.run_for(500)
    wait_until(screen, partial(has, lines, 6))
    screen.page.clock.resume()
    screen.wait_for(phase="lobby")


def has(lines: list[WebSocketRoute], number: int) -> bool:
    return len(lines) >= number

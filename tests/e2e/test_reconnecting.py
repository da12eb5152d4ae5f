"""Reconnecting in a browser after failures of all gateways, and when the device is online again."""

import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.e2e.screens import PHONE, TIMEOUT_MS, OpenScreen, open_turn, says, vote, wait_until
from tests.server import Server, running_server

# The deferred part is fetched after the first vote and has the texts for a lost connection.
DEFERRED_PART_IS_LOADED = """() => performance.getEntriesByType("resource")
  .some(({name, responseEnd}) => name.includes("/deferred.") && responseEnd > 0)"""
RESTART_MS = 3 * TIMEOUT_MS  # killed gateways start again, beside other tests


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("reconnecting"), gateways=2) as server:
        yield server


def test_board_and_ballot_survive_restart_of_all_gateways(server: Server, open_at: OpenScreen) -> None:
    # A slow phone may return after the grace period.
    event, display, red, yellow = open_turn(server, open_at, close_early=False, pace="normal")
    screens = display, red, yellow
    vote(red, 2)
    red.page.wait_for_function(DEFERRED_PART_IS_LOADED)
    for name in server.stack.gateway_names:
        pid = server.supervisor.pid(name)
        assert pid
        os.kill(pid, signal.SIGKILL)
    red.wait_for(phase="lost")
    red.page.locator('[data-column="5"]').click()
    expect(red.page.locator("main")).to_have_attribute("data-status", "sending")
    says(red, "Not counted yet: your vote for\u00a05")
    expect(display.page.locator(".cabinet")).to_be_visible()
    for screen in screens:
        screen.wait_for(RESTART_MS, phase="voting")
    expect(red.page.locator("main")).to_have_attribute("data-status", "counted")
    vote(yellow, 7)
    expect(yellow.page.locator("main")).to_have_attribute("data-status", "counted")
    server.ask("close_after", event_id=event["id"], ms=500)
    for screen in screens:
        screen.wait_for(phase="reveal")
        screen.errors.clear()  # of the time without gateways
    expect(red.page.locator(".corner.red .picked")).to_have_text("5 · 100%")
    expect(display.page.locator('[data-cell="5,1"]')).to_have_attribute("data-owner", "red")


def test_phone_reconnects_at_once_when_online(server: Server, open_at: OpenScreen) -> None:
    """The page's clock is paused, so only the `online` event can make it reconnect."""
    lines: list[WebSocketRoute] = []

    def answer_first_and_sixth(line: WebSocketRoute) -> None:
        lines.append(line)
        if len(lines) in {1, 6}:
            line.connect_to_server()
        else:
            line.close(code=1001)

    screen = open_at(PHONE)
    page = screen.page
    page.add_init_script("Math.random = () => 0.99")
    page.clock.install()
    page.route_web_socket("**/ws/phone", answer_first_and_sixth)
    page.goto(f"/{server.ask('event', lobby='open')['code']}")
    screen.wait_for(phase="lobby")
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    lines[0].close(code=1001)
    waits_ms = [500, 1_000, 2_000, 4_000]
    while waits_ms:
        expect(page.locator(".hint")).to_have_text("Reconnecting")
        page.clock.run_for(waits_ms.pop(0))
        wait_until(screen, lambda: len(lines) == 5 - len(waits_ms))
    page.evaluate("dispatchEvent(new Event('online'))")
    page.clock.run_for(500)
    page.clock.resume()
    screen.wait_for(phase="lobby")
    assert len(lines) == 6

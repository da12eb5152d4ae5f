"""Pages behind a connection that swallows data: they notice it, try again, and wake with the device."""

from collections.abc import Sequence
from functools import partial

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, Screen, wait_until
from tests.server import Server

ANSWER_WITHIN_MS, CHAT_ANSWER_WITHIN_MS = 10_000, 6_000
CHAT_SILENCE_MS, CHAT_RETRY_MS = 20_000, 500
LONGEST_POLL_MS = 24_000


def has(items: Sequence[object], number: int) -> bool:
    return len(items) >= number


def hang_requests(screen: Screen, url: str) -> list[str]:
    """Never answer the page's requests for `url`. Returns those made, as they come."""
    asked: list[str] = []

    def hang(route: Route) -> None:
        if route.request.resource_type == "fetch":
            asked.append(route.request.url)
        else:
            route.continue_()

    screen.page.route(url, hang)
    return asked


@pytest.mark.parametrize(("path", "url"), [("/play/", "**/play/"), ("/stage/{code}", "**/stage/*/now")])
def test_page_asks_again_without_an_answer_and_when_online(
    server: Server, open_at: OpenScreen, path: str, url: str
) -> None:
    screen = open_at(server, "silent", PHONE)
    asked = hang_requests(screen, url)
    screen.page.clock.install()
    screen.page.goto(path.format(code=server.ask("event")["code"]))
    screen.page.clock.pause_at(screen.page.evaluate("Date.now() + 1000"))
    screen.page.clock.run_for(LONGEST_POLL_MS)
    wait_until(screen, partial(has, asked, 1))
    before = len(asked)
    screen.page.clock.run_for(ANSWER_WITHIN_MS)
    screen.page.clock.run_for(LONGEST_POLL_MS)
    wait_until(screen, partial(has, asked, before + 1))
    before = len(asked)
    screen.page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(screen, partial(has, asked, before + 1))


def test_chat_keeps_its_connection_alive_and_replaces_a_silent_one(
    server: Server, open_at: OpenScreen
) -> None:
    server.ask("clear_chat")
    screen = open_at(server, "silent-chat", PHONE)
    lines: list[WebSocketRoute] = []
    sent: list[str] = []
    joined: list[str] = []

    def swallow_later(line: WebSocketRoute) -> None:
        """Let the first socket join, but swallow what it receives after that."""
        lines.append(line)
        gateway = line.connect_to_server()

        def send(frame: str | bytes) -> None:
            sent.append(str(frame))
            gateway.send(frame)

        def receive(frame: str | bytes) -> None:
            if len(lines) > 1 or not joined:
                line.send(frame)
            joined.append(str(frame))

        line.on_message(send)
        gateway.on_message(receive)

    screen.page.clock.install()
    screen.page.route_web_socket("**/ws/chat", swallow_later)
    screen.page.goto("/play/")
    wait_until(screen, partial(has, joined, 1))
    screen.page.clock.pause_at(screen.page.evaluate("Date.now() + 1000"))
    screen.page.clock.run_for(CHAT_SILENCE_MS)
    wait_until(screen, partial(has, sent, 2))
    assert '"clock.ask"' in sent[1]
    screen.page.clock.run_for(CHAT_ANSWER_WITHIN_MS + CHAT_RETRY_MS)
    wait_until(screen, partial(has, lines, 2))
    server.ask("post_chat_message", slug="lobby", text="Hello again")
    expect(screen.page.locator(".said .text")).to_have_text("Hello again")

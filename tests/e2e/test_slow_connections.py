"""Pages whose connection swallows data, and phones whose deferred part is still loading."""

from collections.abc import Sequence
from functools import partial

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, Screen, tap, wait_until
from tests.server import Server

ANSWER_WITHIN_MS, CHAT_ANSWER_WITHIN_MS = 10_000, 6_000
CHAT_SILENCE_MS, CHAT_RETRY_MS = 20_000, 500
LONGEST_POLL_MS = 24_000
DEFERRED = "**/app/deferred.*"


def wait_for_more(screen: Screen, items: Sequence[object], before: int = 0) -> int:
    """Wait until there are more items than before; return their number."""
    wait_until(screen, lambda: len(items) > before)
    return len(items)


@pytest.mark.parametrize(("path", "url"), [("/play/", "**/play/"), ("/stage/{code}", "**/stage/*/now")])
def test_page_asks_again_without_an_answer_and_when_online(
    server: Server, open_at: OpenScreen, path: str, url: str
) -> None:
    screen, asked = open_at(PHONE), list[str]()

    def hang(route: Route) -> None:
        if route.request.resource_type == "fetch":
            asked.append(route.request.url)
        else:
            route.continue_()

    page = screen.page
    page.route(url, hang)
    page.clock.install()
    page.goto(path.format(code=server.ask("event")["code"]))
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    page.clock.run_for(LONGEST_POLL_MS)
    before = wait_for_more(screen, asked)
    page.clock.run_for(ANSWER_WITHIN_MS)
    page.clock.run_for(LONGEST_POLL_MS)
    before = wait_for_more(screen, asked, before)
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_for_more(screen, asked, before)


def test_chat_keeps_its_connection_alive_and_replaces_a_silent_one(
    server: Server, open_at: OpenScreen
) -> None:
    server.ask("clear_chat")
    screen = open_at(PHONE)
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

    page = screen.page
    page.clock.install()
    page.route_web_socket("**/ws/chat", swallow_later)
    page.goto("/play/")
    wait_for_more(screen, joined)
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    page.clock.run_for(CHAT_SILENCE_MS)
    wait_for_more(screen, sent, 1)
    assert '"clock.ask"' in sent[1]
    page.clock.run_for(CHAT_ANSWER_WITHIN_MS + CHAT_RETRY_MS)
    wait_for_more(screen, lines, 1)
    server.ask("post_chat_message", slug="lobby", text="Hello again")
    expect(page.locator(".said .text")).to_have_text("Hello again")


@pytest.fixture
def phone(server: Server, open_at: OpenScreen) -> Screen:
    event = server.ask("event", lobby="open", window_s=90)
    server.ask("begin", event_id=event["id"])
    phone = open_at(PHONE, f"/{event['code']}")
    phone.wait_for(phase="voting")
    return phone


@pytest.fixture
def held(phone: Screen) -> list[Route]:
    """The phone's requests of the deferred part, which are not answered."""
    held: list[Route] = []
    phone.page.route(DEFERRED, partial(held.append))
    return held


@pytest.mark.parametrize(
    ("keys", "column"),
    [(["ArrowRight", "Enter"], "1"), (["ArrowRight", "ArrowRight", "Enter"], "2"), (["4", "Enter"], "4")],
    ids=["arrow", "arrows", "digit"],
)
def test_early_keys_are_applied_when_deferred_part_loads(
    phone: Screen, held: list[Route], keys: list[str], column: str
) -> None:
    for key in keys:
        phone.page.keyboard.press(key)
    wait_until(phone, partial(bool, held))
    expect(phone.page.locator("main")).not_to_have_attribute("data-status", "counted")
    (route,) = held
    route.continue_()
    expect(phone.page.locator("main")).to_have_attribute("data-status", "counted")
    expect(phone.page.locator(f'[data-column="{column}"]')).to_have_attribute("aria-pressed", "true")


def test_early_tap_hides_vote_when_deferred_part_loads(phone: Screen, held: list[Route]) -> None:
    hide = phone.page.locator('[data-do="hide"]')
    tap(hide)
    wait_until(phone, partial(bool, held))
    held[0].continue_()
    expect(hide).to_have_attribute("aria-pressed", "true")


def test_enter_alone_casts_no_vote(phone: Screen) -> None:
    with phone.page.expect_response(DEFERRED):
        phone.page.keyboard.press("Enter")
    phone.page.keyboard.press("ArrowRight")
    expect(phone.page.locator('[data-column="1"]')).to_be_focused()
    expect(phone.page.locator("main")).not_to_have_attribute("data-status", "counted")

"""Pages whose connection swallows data, and phones whose deferred part is still loading."""

from functools import partial

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from tests.e2e.screens import PHONE, OpenScreen, tap, wait_until
from tests.server import Server

ANSWER_WITHIN_MS, LONGEST_POLL_MS = 10_000, 24_000


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
    wait_until(screen, lambda: bool(asked))
    asked.clear()
    page.clock.run_for(ANSWER_WITHIN_MS)
    page.clock.run_for(LONGEST_POLL_MS)
    wait_until(screen, lambda: bool(asked))
    asked.clear()
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_until(screen, lambda: bool(asked))


def test_chat_keeps_its_connection_alive_and_replaces_a_silent_one(
    server: Server, open_at: OpenScreen
) -> None:
    server.ask("clear_chat")
    screen = open_at(PHONE)
    lines, sent, joined = list[WebSocketRoute](), list[str](), list[str]()

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
    wait_until(screen, lambda: bool(joined))
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    page.clock.run_for(20_000)  # in silence
    wait_until(screen, lambda: len(sent) > 1)
    assert '"clock.ask"' in sent[1]
    page.clock.run_for(6_500)  # without an answer
    wait_until(screen, lambda: len(lines) > 1)
    server.ask("post_chat_message", slug="lobby", text="Hello again")
    expect(page.locator(".said .text")).to_have_text("Hello again")


@pytest.mark.parametrize(
    ("keys", "column"), [("ArrowRight Enter", 1), ("ArrowRight ArrowRight Enter", 2), ("4 Enter", 4)]
)
def test_phone_applies_early_keys_and_taps_when_deferred_part_loads(
    server: Server, open_at: OpenScreen, keys: str, column: int
) -> None:
    event = server.ask("event", lobby="open", window_s=90)
    server.ask("begin", event_id=event["id"])
    phone, held = open_at(PHONE, f"/{event['code']}"), list[Route]()
    phone.wait_for(phase="voting")
    page, main = phone.page, phone.page.locator("main")
    page.route("**/app/deferred.*", partial(held.append))
    for key in ("Enter", *keys.split()):  # the first one alone casts no vote
        page.keyboard.press(key)
    tap(page.locator('[data-do="hide"]'))
    wait_until(phone, lambda: bool(held))
    expect(main).not_to_have_attribute("data-status", "counted")
    held[0].continue_()
    expect(main).to_have_attribute("data-status", "counted")
    for part in (f'[data-column="{column}"]', '[data-do="hide"]'):
        expect(page.locator(part)).to_have_attribute("aria-pressed", "true")

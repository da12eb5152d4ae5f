import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from tests.e2e.page_visits import running_server_with_static
from tests.e2e.screens import PHONE, TIMEOUT_MS, OpenScreen, open_turn, says, tap, vote, wait_until
from tests.server import Server

# The deferred part is fetched after the first vote and has the texts for a lost connection.
DEFERRED_PART_IS_LOADED = """() => performance.getEntriesByType("resource")
  .some(({name, responseEnd}) => name.includes("/deferred.") && responseEnd > 0)"""
RESTART_MS = 3 * TIMEOUT_MS  # killed gateways start again, beside other tests
ANSWER_WITHIN_MS, LONGEST_POLL_MS = 10_000, 24_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server_with_static(tmp_path_factory.mktemp("reconnecting"), gateways=2) as server:
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
    """The page's clock is moved by hand, so only the `online` event can make the second attempt so early."""
    lines: list[WebSocketRoute] = []

    def refuse_first_attempt(line: WebSocketRoute) -> None:
        lines.append(line)
        if len(lines) == 2:
            line.close(code=1001)
        else:
            line.connect_to_server()

    screen = open_at(PHONE)
    page = screen.page
    page.add_init_script("Math.random = () => 0.99")
    page.clock.install()
    page.route_web_socket("**/ws/phone", refuse_first_attempt)
    page.goto(f"/{server.ask('event', lobby='open')['code']}")
    screen.wait_for(phase="lobby")
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    lines[0].close(code=1001)
    expect(page.locator(".hint")).to_have_text("Reconnecting")
    page.clock.run_for(500)
    wait_until(screen, lambda: len(lines) == 2)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.clock.run_for(500)  # without the event, it would wait for a second
    screen.wait_for(phase="lobby")


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_chat_keeps_its_connection_and_replaces_a_silent_one(server: Server, open_at: OpenScreen) -> None:
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


@pytest.mark.nightly
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

"""Phone measurements: page size, time until usable, tap response and memory growth."""

import http.client
import urllib.request
from dataclasses import replace
from typing import Any

from playwright.sync_api import Browser, Page

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.measurements.dev_tools import SLOW_3G, SLOW_CPU, DevTools
from tests.e2e.measurements.goal import Measurement, at_most, quantile
from tests.e2e.measurements.heap import take_heap_snapshot
from tests.e2e.scenes import CODE, MIDDLE
from tests.e2e.screens import PHONE, TIMEOUT_MS
from voting.protocol import EventState

KIBIBYTE = 1024
LONG_WINDOW, LEFT_MS = replace(MIDDLE, terms={"window_s": 3600}), 1_800_000
WARM, MESSAGES = 1_500, 5_000
LOADS, TAPS = 5, 30
BETWEEN_TAPS_MS = 400
LANGUAGES = ("ar", "de", "en", "es", "fr", "pt", "zh-hans")
# The time when a column is enabled and drawn.
USABLE = """() => {
  const look = () => document.querySelector("[data-column]:enabled")
    ? requestAnimationFrame(() => { window.usable = performance.now(); console.info("usable"); })
    : requestAnimationFrame(look);
  look();
}"""
# From the touch until the column is drawn as pressed, and until the ball is over it.
PRESSED = """() => {
  window.taps = [];
  window.balls = [];
  let touched = 0;
  addEventListener("pointerdown", ({timeStamp}) => { touched = timeStamp; }, true);
  const seen = (list, began) =>
    requestAnimationFrame(() => setTimeout(() => list.push(performance.now() - began)));
  new MutationObserver((changes) => {
    for (const {attributeName, target} of changes) {
      if (attributeName === "data-pressed" && target.hasAttribute(attributeName)) seen(window.taps, touched);
      if (attributeName === "aria-pressed" && target.ariaPressed === "true") seen(window.balls, touched);
    }
  }).observe(document, {subtree: true, attributes: true, attributeFilter: ["aria-pressed", "data-pressed"]});
}"""


def page_bytes(fake_gateway: FakeGateway, language: str) -> int:
    """Bytes of the served page, including the fake gateway's preloaded state, if any."""
    return received_bytes(f"{fake_gateway.http}/{CODE}", language)


def received_bytes(url: str, language: str = "en") -> int:
    """Bytes of a compressed response."""
    headers = {"Accept-Encoding": "gzip", "Accept-Language": language}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        response: http.client.HTTPResponse = answer
        return len(response.read())


def largest_page_kib(fake_gateway: FakeGateway, state: EventState | None = None) -> float:
    """The largest page of all languages in KiB, with this preloaded state and a seat offer."""
    fake_gateway.page = state
    largest = max(page_bytes(fake_gateway, language) for language in LANGUAGES)
    fake_gateway.page = None
    return largest / KIBIBYTE


def count_requests(browser: Browser, fake_gateway: FakeGateway) -> tuple[list[str], int]:
    """The URLs that a phone requests before its first vote, and the number of sockets it opens."""
    page = open_phone(browser)
    asked: list[str] = []
    sockets: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: sockets.append(socket.url))
    join(page, fake_gateway)
    page.wait_for_load_state("networkidle")
    page.context.close()
    return [url for url in asked if not url.startswith("data:")], len(sockets)


def open_phone(browser: Browser) -> Page:
    return browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()  # type: ignore[arg-type]


def join(page: Page, fake_gateway: FakeGateway) -> None:
    fake_gateway.show(LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS))
    page.goto(f"{fake_gateway.http}/{CODE}", timeout=4 * TIMEOUT_MS)
    page.wait_for_selector("[data-column]:enabled", timeout=TIMEOUT_MS)


def usable_after_s(browser: Browser, fake_gateway: FakeGateway) -> float:
    """Seconds for a new phone with a preloaded event and seat. No test code runs in the page meanwhile."""
    page = open_phone(browser)
    DevTools(page).slow_down(network=SLOW_3G)
    page.add_init_script(f"({USABLE})()")
    state = LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS)
    fake_gateway.show(state)
    fake_gateway.page = state
    with page.expect_console_message(lambda message: message.text == "usable", timeout=4 * TIMEOUT_MS):
        page.goto(f"{fake_gateway.http}/{CODE}", timeout=4 * TIMEOUT_MS, wait_until="commit")
    fake_gateway.page = None
    seconds = float(page.evaluate("() => window.usable")) / 1000
    page.context.close()
    return seconds


def taps_ms(browser: Browser, fake_gateway: FakeGateway, slower: int = 1) -> list[float]:
    """Milliseconds from each touch until the column is drawn as pressed, on a slowed processor."""
    page = open_phone(browser)
    DevTools(page).slow_down(slower)
    page.add_init_script(f"({PRESSED})()")
    join(page, fake_gateway)
    boxes = [page.locator(f'[data-column="{column}"]').bounding_box() for column in range(1, 8)]
    for number in range(TAPS):
        touch(page, boxes[number % 7])
    taps: list[float] = page.evaluate("() => window.taps")
    page.context.close()
    return taps


def touch(page: Page, box: Any) -> None:
    """Touch and wait, without running test code in the page."""
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(BETWEEN_TAPS_MS)


def growth(browser: Browser, fake_gateway: FakeGateway) -> tuple[float, int]:
    """Memory growth as a share, and the number of new nodes, over many messages."""
    page = open_phone(browser)
    tools = DevTools(page)
    join(page, fake_gateway)
    feed_messages(page, fake_gateway, WARM)
    nodes, kept = tools.idle_nodes(), take_heap_snapshot(tools.cdp).own
    feed_messages(page, fake_gateway, MESSAGES)
    nodes_after, kept_after = tools.idle_nodes(), take_heap_snapshot(tools.cdp).own
    page.context.close()
    return kept_after / kept - 1, nodes_after - nodes


def feed_messages(page: Page, fake_gateway: FakeGateway, messages: int) -> None:
    """Send turnout, and every tenth time a full state; then a pause, to know that all was received."""
    state = LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS)
    for number in range(messages):
        if number % 10:
            fake_gateway.say("phone", make_turnout(fake_gateway, number))
        else:
            fake_gateway.say("phone", fake_gateway.change("turn.moved", state))
    for phase, last in (("paused", LONG_WINDOW.paused(fake_gateway.now())), ("voting", state)):
        fake_gateway.say("phone", fake_gateway.change("turn.moved", last))
        page.wait_for_selector(f"body[data-phase={phase}]", timeout=4 * TIMEOUT_MS)


def make_turnout(fake_gateway: FakeGateway, number: int) -> dict[str, object]:
    voted = [number % 1200, number % 1100]
    return {"type": "turnout.counted", "turn": LONG_WINDOW.turn_id, "connected": [1250, 1190], "voted": voted}


def measurements(browser: Browser, fake_gateway: FakeGateway) -> list[Measurement]:
    own = largest_page_kib(fake_gateway)
    served = largest_page_kib(fake_gateway, LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS))
    asked, sockets = count_requests(browser, fake_gateway)
    usable = [usable_after_s(browser, fake_gateway) for _ in range(LOADS)]
    taps, slow_taps = (quantile(taps_ms(browser, fake_gateway, slower), 0.95) for slower in (1, SLOW_CPU))
    heap, nodes = growth(browser, fake_gateway)
    once = Measurement("requests, sockets", "1 + 1", f"{len(asked)} + {sockets}", len(asked) == sockets == 1)
    flat = Measurement(
        f"heap growth without machine code, new DOM nodes after {MESSAGES:,} messages",
        "flat",
        f"{heap:+.1%}, {nodes:+d} nodes",
        heap < 0.01 and nodes <= 0,
    )
    found = [
        at_most("page, gzip, largest locale", own, 12, "KiB", 2),
        Measurement("page with an open turn: event state and seat included", "", f"{served:.2f} KiB"),
        once,
        at_most(
            "first visit to usable columns, Slow 3G and CPU slowed 4 times, median",
            quantile(usable, 0.5),
            2.8,
            "s",
            2,
        ),
        at_most("tap to visible press, p95", taps, 50, "ms"),
        Measurement(f"tap to visible press, p95, CPU slowed {SLOW_CPU} times", "", f"{slow_taps:.0f} ms"),
        flat,
    ]
    return [replace(measurement, what=f"phone: {measurement.what}") for measurement in found]

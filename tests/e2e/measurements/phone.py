"""The phone: what it weighs, when it can be used, how soon it answers a thumb, and whether it grows."""

import http.client
import urllib.request
from dataclasses import replace
from typing import Any

from playwright.sync_api import Browser, Page

from tests.e2e.faces import PHONE, SOON_MS
from tests.e2e.measurements.goal import Measurement, at_most, quantile
from tests.e2e.measurements.heap import heap_of
from tests.e2e.measurements.tools import SLOW_3G, SLOW_CPU, Tools
from tests.e2e.prompter import Prompter
from tests.e2e.scenes import CODE, MIDDLE
from voting.protocol import EventState

KIBIBYTE = 1024
LONG_WINDOW, LEFT_MS = replace(MIDDLE, terms={"window_s": 3600}), 1_800_000
WARM, MESSAGES = 1_500, 5_000
LOADS, TAPS = 5, 30
BETWEEN_TAPS_MS = 400
LANGUAGES = ("en", "de", "es", "fr", "zh")
# The moment a column can be pressed, and has been drawn so.
USABLE = """() => {
  const look = () => document.querySelector("[data-column]:enabled")
    ? requestAnimationFrame(() => { window.usable = performance.now(); console.info("usable"); })
    : requestAnimationFrame(look);
  look();
}"""
# From the finger's touch until the column was drawn pressed, and until the ball was over it.
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


def weight(prompter: Prompter, language: str) -> int:
    """Bytes of the page as it is served: with what the prompter says of the event, if it says anything."""
    headers = {"Accept-Encoding": "gzip", "Accept-Language": language}
    request = urllib.request.Request(f"{prompter.http}/{CODE}", headers=headers)  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        response: http.client.HTTPResponse = answer
        return len(response.read())


def heaviest_kib(prompter: Prompter, state: EventState | None = None) -> float:
    """Of all languages, with a state and a seat's offer in it."""
    prompter.page = state
    heaviest = max(weight(prompter, language) for language in LANGUAGES)
    prompter.page = None
    return heaviest / KIBIBYTE


def asked_for(browser: Browser, prompter: Prompter) -> tuple[list[str], int]:
    """The addresses that a phone asks for before its first vote, and the sockets it opens."""
    page = open_phone(browser)
    asked: list[str] = []
    sockets: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: sockets.append(socket.url))
    come_in(page, prompter)
    page.wait_for_load_state("networkidle")
    page.context.close()
    return [url for url in asked if not url.startswith("data:")], len(sockets)


def open_phone(browser: Browser) -> Page:
    return browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()  # type: ignore[arg-type]


def come_in(page: Page, prompter: Prompter) -> None:
    prompter.show(LONG_WINDOW.voting(prompter.now(), LEFT_MS))
    page.goto(f"{prompter.http}/{CODE}", timeout=4 * SOON_MS)
    page.wait_for_selector("[data-column]:enabled", timeout=SOON_MS)


def usable_after_s(browser: Browser, prompter: Prompter) -> float:
    """As a newcomer whose page comes with the event and a seat. Nothing of ours runs in it meanwhile."""
    page = open_phone(browser)
    Tools(page).slow_down(network=SLOW_3G)
    page.add_init_script(f"({USABLE})()")
    state = LONG_WINDOW.voting(prompter.now(), LEFT_MS)
    prompter.show(state)
    prompter.page = state
    with page.expect_console_message(lambda message: message.text == "usable", timeout=4 * SOON_MS):
        page.goto(f"{prompter.http}/{CODE}", timeout=4 * SOON_MS, wait_until="commit")
    prompter.page = None
    seconds = float(page.evaluate("() => window.usable")) / 1000
    page.context.close()
    return seconds


def taps_ms(browser: Browser, prompter: Prompter, slower: int = 1) -> list[float]:
    """From each of many touches until the column is seen pressed, on a processor so many times slower."""
    page = open_phone(browser)
    Tools(page).slow_down(slower)
    page.add_init_script(f"({PRESSED})()")
    come_in(page, prompter)
    boxes = [page.locator(f'[data-column="{column}"]').bounding_box() for column in range(1, 8)]
    for number in range(TAPS):
        touch(page, boxes[number % 7])
    taps: list[float] = page.evaluate("() => window.taps")
    page.context.close()
    return taps


def touch(page: Page, box: Any) -> None:
    """Nothing of ours runs in the page until the touch is answered."""
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(BETWEEN_TAPS_MS)


def growth(browser: Browser, prompter: Prompter) -> tuple[float, int]:
    """What is kept and the nodes grow by over the messages, what is kept as a share."""
    page = open_phone(browser)
    tools = Tools(page)
    come_in(page, prompter)
    feed_messages(page, prompter, WARM)
    nodes, kept = tools.nodes_at_rest(), heap_of(tools.cdp).own
    feed_messages(page, prompter, MESSAGES)
    nodes_after, kept_after = tools.nodes_at_rest(), heap_of(tools.cdp).own
    page.context.close()
    return kept_after / kept - 1, nodes_after - nodes


def feed_messages(page: Page, prompter: Prompter, messages: int) -> None:
    """Turnout, and every tenth a change of the whole state; then a pause, to see that all was heard."""
    state = LONG_WINDOW.voting(prompter.now(), LEFT_MS)
    for number in range(messages):
        if number % 10:
            prompter.say("phone", replace_turnout(prompter, number))
        else:
            prompter.say("phone", prompter.change("turn.moved", state))
    for phase, last in (("paused", LONG_WINDOW.paused(prompter.now())), ("voting", state)):
        prompter.say("phone", prompter.change("turn.moved", last))
        page.wait_for_selector(f"body[data-phase={phase}]", timeout=4 * SOON_MS)


def replace_turnout(prompter: Prompter, number: int) -> dict[str, object]:
    voted = [number % 1200, number % 1100]
    return {"type": "turnout.counted", "turn": LONG_WINDOW.turn_id, "connected": [1250, 1190], "voted": voted}


def measurements(browser: Browser, prompter: Prompter) -> list[Measurement]:
    own = heaviest_kib(prompter)
    served = heaviest_kib(prompter, LONG_WINDOW.voting(prompter.now(), LEFT_MS))
    asked, sockets = asked_for(browser, prompter)
    usable = [usable_after_s(browser, prompter) for _ in range(LOADS)]
    taps, slow_taps = (quantile(taps_ms(browser, prompter, slower), 0.95) for slower in (1, SLOW_CPU))
    heap, nodes = growth(browser, prompter)
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

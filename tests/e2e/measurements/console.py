"""Console measurements: delay from a click to the display, and time from no event to the first turn."""

import time

from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.measurements.goal import Measurement, at_most, quantile
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PROJECTOR, TABLET, TIMEOUT_MS
from tests.server import Server

PRESSES, WINDOW_S = 100, 3600
# A first-time user takes this long to find the next control.
FIND_S = 3
TEMPLATES = ("Two halls", "Classroom: first game")
TURN_BEGINS = "body[data-phase=voting], body[data-phase=talk]"
CLICKED = """() => addEventListener("click", () => {
  window.clickedAt = performance.timeOrigin + performance.now();
}, true)"""
SHOWN = """() => {
  window.shown = {};
  const look = () => {
    const {phase} = document.body.dataset;
    requestAnimationFrame(() => { window.shown[phase] = performance.timeOrigin + performance.now(); });
  };
  const phases = {subtree: true, attributes: true, attributeFilter: ["data-phase"]};
  new MutationObserver(look).observe(document, phases);
}"""


def click_delays_ms(browser: Browser, server: Server) -> list[float]:
    """Milliseconds from each click to the frame in which the display shows its effect."""
    event = server.ask("event", owner="presser", lobby="open", window_s=WINDOW_S)
    server.ask("play_to", event_id=event["id"], picks=[])
    console, display = (browser.new_context(viewport=size).new_page() for size in (TABLET, PROJECTOR))  # type: ignore[arg-type]
    console.add_init_script(f"({CLICKED})()")
    display.add_init_script(f"({SHOWN})()")
    sign_in(console, server, "presser")
    console.goto(f"{server.http}/console/{event['code']}/")
    display.goto(f"{server.http}/display/{event['code']}")
    display.wait_for_selector("body[data-phase=voting]", timeout=TIMEOUT_MS)
    taken = []
    for number in range(PRESSES):
        action, phase = ("turn.resume", "voting") if number % 2 else ("turn.pause", "paused")
        display.evaluate("() => { window.shown = {}; }")
        console.locator(f'[data-action="{action}"]').first.click(timeout=TIMEOUT_MS)
        display.wait_for_function("(phase) => window.shown[phase]", arg=phase, timeout=TIMEOUT_MS)
        shown = display.evaluate("(phase) => window.shown[phase]", phase)
        taken.append(shown - console.evaluate("() => window.clickedAt"))
    for page in (console, display):
        page.context.close()
    return taken


class SimulatedUser:
    """A simulated user who clicks visible controls, with a delay to find each one."""

    def __init__(self, page: Page) -> None:
        self.page, self.steps = page, 0

    def click(self, what: Locator) -> None:
        self._find(what)
        what.first.click()

    def _find(self, what: Locator) -> None:
        expect(what.first).to_be_visible(timeout=TIMEOUT_MS)
        self.page.wait_for_timeout(FIND_S * 1000)
        self.steps += 1


def first_turn_s(browser: Browser, server: Server, template: str) -> tuple[float, int]:
    """Seconds from a new organizer's page to the first turn on the display; and the number of steps."""
    page = browser.new_context(viewport=TABLET).new_page()  # type: ignore[arg-type]
    sign_in(page, server, f"newcomer to {template}")
    page.goto(f"{server.http}/console/")
    person, began = SimulatedUser(page), time.monotonic()
    person.click(page.get_by_role("button", name=template))
    person.click(page.get_by_role("button", name="Open the lobby"))
    code = page.url.rstrip("/").rsplit("/", 1)[1]
    display = browser.new_context(viewport=PROJECTOR).new_page()  # type: ignore[arg-type]
    display.goto(f"{server.http}/display/{code}")
    person.click(page.get_by_role("button", name="Start the match"))
    display.wait_for_selector(TURN_BEGINS, timeout=2 * TIMEOUT_MS)
    took = time.monotonic() - began
    for opened in (page, display):
        opened.context.close()
    return took, person.steps


def measurements(browser: Browser, server: Server) -> list[Measurement]:
    taken = click_delays_ms(browser, server)
    found = [
        at_most(f"console: click to projector, p99 of {PRESSES}", quantile(taken, 0.98), 300, "ms"),
        Measurement("console: click to projector, median", "", f"{quantile(taken, 0.5):.0f} ms"),
    ]
    for template in TEMPLATES:
        took, steps = first_turn_s(browser, server, template)
        found.append(at_most(f"new event to first turn, “{template}”, {steps} clicks", took, 60, "s"))
    return found

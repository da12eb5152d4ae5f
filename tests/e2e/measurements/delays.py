"""Delays: until a phone is usable, from a tap to its mark, and from a click in the console to the display."""

from statistics import median, quantiles

from playwright.sync_api import Browser

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.measurements.dev_tools import SLOW_3G, slow_down
from tests.e2e.scene_setup import CODE, MIDDLE, with_terms
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, sign_in
from tests.server import Server

LONG_WINDOW, LEFT_MS = with_terms(MIDDLE, window_s=3600), 1_800_000
# The time when a column is enabled and drawn.
USABLE_JS = """() => {
  const look = () => document.querySelector("[data-column]:enabled")
    ? requestAnimationFrame(() => { window.usable = performance.now(); console.info("usable"); })
    : requestAnimationFrame(look);
  look();
}"""
# From the touch until the column is drawn as pressed.
PRESSED_JS = """() => {
  window.taps = [];
  let touched = 0;
  addEventListener("pointerdown", ({timeStamp}) => { touched = timeStamp; }, true);
  const seen = () => requestAnimationFrame(() => setTimeout(() => taps.push(performance.now() - touched)));
  new MutationObserver((changes) => {
    for (const {target} of changes) if (target.hasAttribute("data-pressed")) seen();
  }).observe(document, {subtree: true, attributes: true, attributeFilter: ["data-pressed"]});
}"""
CLICKED_JS = """() => addEventListener("click", () => {
  window.clickedAt = performance.timeOrigin + performance.now();
}, true)"""
SHOWN_JS = """() => {
  window.shown = {};
  const look = () => {
    const {phase} = document.body.dataset;
    requestAnimationFrame(() => { window.shown[phase] = performance.timeOrigin + performance.now(); });
  };
  const phases = {subtree: true, attributes: true, attributeFilter: ["data-phase"]};
  new MutationObserver(look).observe(document, phases);
}"""


def usable_after_s(browser: Browser, fake_gateway: FakeGateway) -> float:
    """Seconds for a new phone with a preloaded event and seat: the median of five.

    No test code runs in the page meanwhile.
    """
    seconds = []
    for _ in range(5):
        page = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
        slow_down(page, network=SLOW_3G)
        page.add_init_script(f"({USABLE_JS})()")
        fake_gateway.page = LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS)
        fake_gateway.show(fake_gateway.page)
        with page.expect_console_message(lambda message: message.text == "usable", timeout=4 * TIMEOUT_MS):
            page.goto(f"{fake_gateway.http}/{CODE}", timeout=4 * TIMEOUT_MS, wait_until="commit")
        seconds.append(float(page.evaluate("() => window.usable")) / 1000)
        page.context.close()
    fake_gateway.page = None
    return median(seconds)


def tap_ms(browser: Browser, fake_gateway: FakeGateway) -> float:
    """Milliseconds from a touch until the column is drawn as pressed, which 95 % of 30 taps don't exceed."""
    page = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    page.add_init_script(f"({PRESSED_JS})()")
    fake_gateway.show(LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS))
    page.goto(f"{fake_gateway.http}/{CODE}")
    page.wait_for_selector("[data-column]:enabled")
    boxes = [page.locator(f'[data-column="{column}"]').bounding_box() for column in range(1, 8)]
    for number in range(30):
        box = boxes[number % 7]
        assert box
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(400)
    taps: list[float] = page.evaluate("() => window.taps")
    page.context.close()
    return quantiles(taps, n=20)[-1]


def click_delay_ms(browser: Browser, server: Server) -> float:
    """Milliseconds from a click to the display's frame with its effect: the second longest of 100."""
    event = server.ask("event", owner="presser", lobby="open", window_s=3600)
    server.ask("play_to", event_id=event["id"], picks=[])
    console, display = (browser.new_context(viewport=size).new_page() for size in (TABLET, PROJECTOR))
    console.add_init_script(f"({CLICKED_JS})()")
    display.add_init_script(f"({SHOWN_JS})()")
    sign_in(console, server, "presser")
    console.goto(f"{server.http}/console/{event['code']}/")
    display.goto(f"{server.http}/display/{event['code']}")
    display.wait_for_selector("body[data-phase=voting]")
    taken = []
    for action, phase in (("turn.pause", "paused"), ("turn.resume", "voting")) * 50:
        display.evaluate("() => { window.shown = {}; }")
        console.locator(f'[data-action="{action}"]').first.click()
        display.wait_for_function("(phase) => window.shown[phase]", arg=phase)
        shown = display.evaluate("(phase) => window.shown[phase]", phase)
        taken.append(shown - console.evaluate("() => window.clickedAt"))
    for page in (console, display):
        page.context.close()
    return float(sorted(taken)[-2])

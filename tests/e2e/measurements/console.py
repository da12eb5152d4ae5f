"""The console: delay from a click to the display."""

from playwright.sync_api import Browser

from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PROJECTOR, TABLET
from tests.server import Server

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

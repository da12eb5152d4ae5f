"""The display's first picture on a slow network: when it appears, and what was transferred before."""

from dataclasses import dataclass

from playwright.sync_api import Browser

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.measurements.dev_tools import SLOW_3G, DevTools
from tests.e2e.measurements.goal import Measurement, at_most, quantile
from tests.e2e.scenes import CODE, MIDDLE
from tests.e2e.screens import PROJECTOR, TIMEOUT_MS

LOADS = 5
KILOBYTE, SECOND_MS = 1000, 1000
# The time when the board is drawn.
BOARD = """() => {
  const look = () => {
    if (document.querySelector(".stage .dock")) window.board ??= performance.now();
    if (window.board && performance.getEntriesByName("first-contentful-paint").length) console.info("board");
    else requestAnimationFrame(look);
  };
  look();
}"""
FOUND = """() => {
  const loaded = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind));
  const sum = (entries) => entries.reduce((bytes, {transferSize}) => bytes + transferSize, 0);
  const [{startTime}] = performance.getEntriesByName("first-contentful-paint");
  return [startTime, window.board, sum(loaded.filter(({responseEnd}) => responseEnd <= startTime))];
}"""


@dataclass(frozen=True, slots=True)
class FirstPicture:
    """Milliseconds until anything and until the board is drawn, and the bytes received before anything is."""

    paint_ms: float
    board_ms: float
    received: int


def load_display(browser: Browser, fake_gateway: FakeGateway) -> FirstPicture:
    page = browser.new_context(viewport=PROJECTOR).new_page()  # type: ignore[arg-type]
    DevTools(page).slow_down(1, SLOW_3G)
    page.add_init_script(f"({BOARD})()")
    state = MIDDLE.voting(fake_gateway.now())
    fake_gateway.show(state)
    fake_gateway.page = state
    with page.expect_console_message(lambda message: message.text == "board", timeout=4 * TIMEOUT_MS):
        page.goto(f"{fake_gateway.http}/display/{CODE}", timeout=4 * TIMEOUT_MS, wait_until="commit")
    found = FirstPicture(*page.evaluate(FOUND))
    page.context.close()
    fake_gateway.page = None
    return found


def measurements(browser: Browser, fake_gateway: FakeGateway) -> list[Measurement]:
    loads = [load_display(browser, fake_gateway) for _ in range(LOADS)]
    paint_s = quantile([load.paint_ms for load in loads], 0.5) / SECOND_MS
    board_s = quantile([load.board_ms for load in loads], 0.5) / SECOND_MS
    received = max(load.received for load in loads) / KILOBYTE
    return [
        at_most("projector: first picture on a first visit, Slow 3G, median", paint_s, 4, "s", 2),
        at_most("projector: board on a first visit, Slow 3G, median", board_s, 4, "s", 2),
        at_most("projector: received before the first picture", received, 60, "kB", 1),
    ]

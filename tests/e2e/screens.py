"""Browser pages as tests use them: by what is on the screen, and by clicking."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, ViewportSize, expect, sync_playwright

from deploy.laptop.system_tools import find_browser

PHONE: ViewportSize = {"width": 390, "height": 844}
SMALL_PHONE: ViewportSize = {"width": 320, "height": 568}
PROJECTOR: ViewportSize = {"width": 1280, "height": 720}
OLD_PROJECTOR: ViewportSize = {"width": 1024, "height": 768}
TABLET = OLD_PROJECTOR
TIMEOUT_MS = 15_000
POLL_MS = 50
BROWSER_ARGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)
# Pause endless animations, or an idle page is repainted sixty times a second.
PAUSE_ANIMATIONS_JS = """addEventListener("animationstart", ({target}) => target
  .getAnimations({subtree: true})
  .filter(({effect}) => effect.getTiming().iterations === Infinity)
  .forEach((animation) => animation.pause()), true)"""
TAP_JS = """part => {
  for (const kind of ["pointerdown", "pointerup"])
    part.dispatchEvent(new PointerEvent(kind, {bubbles: true}));
  part.click();
}"""

expect.set_options(timeout=TIMEOUT_MS)


@dataclass
class Screen:
    """A page in its own browser context; `errors` are logged errors and failed requests."""

    page: Page
    errors: list[str] = field(default_factory=list)

    def animate(self) -> None:
        """Show motion, as to visitors who have not asked for less."""
        self.page.emulate_media(reduced_motion="no-preference")

    def wait_for(self, timeout_ms: float = TIMEOUT_MS, **data: str) -> None:
        """Wait for these data attributes of the body, such as `phase="lobby"` for `data-phase`."""
        body = self.page.locator("body")
        for name, value in data.items():
            expect(body).to_have_attribute(f"data-{name}", value, timeout=timeout_ms)

    def note_error(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for commands; tests use the fixtures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(BROWSER_ARGS))
        yield browser
        browser.close()


def open_screen(browser: Browser, base_url: str, size: ViewportSize) -> Screen:
    """Open an empty page with reduced motion: without a GPU, motion doubles the processor time of a test.

    A test of motion calls `animate`.
    """
    context = browser.new_context(base_url=base_url, viewport=size, reduced_motion="reduce")
    context.add_init_script(PAUSE_ANIMATIONS_JS)
    screen = Screen(context.new_page())
    screen.page.on("console", screen.note_error)
    screen.page.on("pageerror", lambda error: screen.errors.append(str(error)))
    return screen


def vote(phone: Screen, column: int) -> None:
    """Tap a column and wait until the ballot is counted, or the turn that it ended is revealed."""
    phone.page.locator(f'[data-column="{column}"]').click()
    counted = phone.page.locator('main[data-status="counted"], body:not([data-phase="voting"])')
    expect(counted.first).to_be_attached()


def press(console: Screen, action: str) -> None:
    console.page.locator(f'[data-action="{action}"]').first.click()


def says(phone: Screen, text: str) -> None:
    expect(phone.page.locator(".sentence")).to_contain_text(text)


def tap(part: Locator) -> None:
    """Tap briefly. A real click on a busy machine could take so long that it counts as holding."""
    part.evaluate(TAP_JS)


def wait_until(screen: Screen, is_so: Callable[[], bool]) -> None:
    """Let the page run until the condition is true."""
    for _ in range(TIMEOUT_MS // POLL_MS):
        if is_so():
            return
        screen.page.wait_for_timeout(POLL_MS)
    raise AssertionError("the condition did not become true in time")

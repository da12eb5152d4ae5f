"""Browser pages as tests use them: by what is on the screen, and by clicking."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

from deploy.laptop.system_tools import find_browser
from tests.e2e.scripts import page_script
from tests.server import Server

PHONE: ViewportSize = {"width": 390, "height": 844}
SMALL_PHONE: ViewportSize = {"width": 320, "height": 568}
PROJECTOR: ViewportSize = {"width": 1280, "height": 720}
OLD_PROJECTOR: ViewportSize = {"width": 1024, "height": 768}
TABLET = OLD_PROJECTOR
TIMEOUT_MS, POLL_MS = 15_000, 50
BROWSER_ARGS = ["--no-sandbox", "--no-first-run"]
BROWSER_ARGS += ["--disable-background-networking", "--disable-component-update"]
PAUSE_ANIMATIONS_JS = page_script("pause_animations")

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


class OpenScreen(Protocol):
    def __call__(self, size: ViewportSize, path: str = "") -> Screen: ...


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for commands; tests use the fixtures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=BROWSER_ARGS)
        yield browser
        browser.close()


def open_console(server: Server, open_at: OpenScreen, code: str, size: ViewportSize = TABLET) -> Screen:
    console = open_at(size)
    sign_in(console.page, server, "olga")
    console.page.goto(f"/console/{code}/")
    expect(console.page.locator("[data-action]").first).to_be_visible()
    return console


def open_wall(console: Screen, open_at: OpenScreen) -> Screen:
    """Open the display that the link of the console's header shows in a frame, on a projector."""
    stage = str(console.page.get_by_role("link", name="Open big screen").get_attribute("href"))
    return open_at(PROJECTOR, stage.replace("/stage/", "/display/"))


def sign_in(page: Page, server: Server, name: str, superuser: bool = False) -> None:
    key, _, value = server.ask("session", name=name, superuser=superuser).partition("=")
    page.context.add_cookies([{"name": key, "value": value, "url": server.http}])


def open_phones(open_at: OpenScreen, code: str) -> list[Screen]:
    """A phone in each team, in the lobby."""
    phones = [open_at(PHONE, f"/{code}"), open_at(SMALL_PHONE, f"/{code}")]
    for phone in phones:
        phone.wait_for(phase="lobby")
    return phones


def open_turn(
    server: Server,
    open_at: OpenScreen,
    prepare: Callable[[Page, Page], object] = lambda display, red: None,
    **terms: Any,
) -> tuple[dict[str, Any], Screen, Screen, Screen]:
    """An event with a long turn that is open; its display, and a phone of red and of yellow.

    `prepare` gets the empty pages of the display and of red.
    """
    terms = {"window_s": 90, "pace": "dramatic", "tie_rule": "first", **terms}
    event = server.ask("event", lobby="open", **terms)
    display, *phones = open_at(PROJECTOR), open_at(PHONE), open_at(SMALL_PHONE)
    prepare(display.page, phones[0].page)
    display.page.goto(f"/display/{event['code']}")
    for team, phone in enumerate(phones, 1):
        phone.page.goto(f"/{event['code']}")
        phone.wait_for(phase="lobby", team=str(team))
    server.ask("open_turn_now", event_id=event["id"])
    for screen in (display, *phones):
        screen.wait_for(phase="voting")
    return event, display, phones[0], phones[1]


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
    part.evaluate(page_script("tap"))


def wait_until(screen: Screen, is_so: Callable[[], bool]) -> None:
    for _ in range(TIMEOUT_MS // POLL_MS):
        if is_so():
            return
        screen.page.wait_for_timeout(POLL_MS)
    raise AssertionError("the condition did not become true in time")

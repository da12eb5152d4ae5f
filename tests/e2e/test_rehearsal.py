"""A small simulated crowd, started from one console and shown in two."""

import re

from playwright.sync_api import ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import TABLET, TIMEOUT_MS, press
from tests.e2e.test_console import OWNER, open_console
from tests.server import Server

COUNTED = re.compile(r"All \d votes counted\. The slowest reply took \d+\sms\.")
DESKTOP: ViewportSize = {"width": 1280, "height": 800}


def test_rehearsal_starts_reports_and_stops(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", window_s=10, close_early=True)
    first = open_console(server, open_at, event["code"], DESKTOP)
    second = open_console(server, open_at, event["code"])
    first.page.get_by_label("Simulated phones").fill("6")
    first.page.keyboard.press("Enter")
    for screen in (first, second):
        expect(screen.page.get_by_role("link", name="A simulated crowd is playing")).to_be_visible()
        expect(screen.page.get_by_text("6 of 6")).to_be_visible()
    press(first, "match.start")
    expect(second.page.locator(".verdict")).to_have_text(COUNTED)
    press(second, "rehearsal.stop")
    for screen in (first, second):
        expect(screen.page.locator(".verdict")).to_contain_text("Last rehearsal: ")
        expect(screen.page.get_by_role("link", name="A simulated crowd is playing")).to_have_count(0)
        aborted = screen.page.get_by_role("heading", name="Match 1 was aborted")
        expect(aborted).to_be_visible(timeout=2 * TIMEOUT_MS)
        why = "The simulated crowd has left, so match 1 was aborted"
        expect(screen.page.get_by_text(why)).to_be_visible()


def test_rehearsal_with_people_requires_confirmation(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
    console = open_console(server, open_at, event["code"], DESKTOP)
    page = console.page
    page.get_by_label("Simulated phones").focus()
    page.keyboard.press("l")  # no shortcut in a field
    expect(page.locator('[data-action="joining.lock"]')).to_be_enabled()
    open_at(TABLET, f"/{event['code']}").wait_for(phase="lobby")
    expect(page.locator('[data-joined="1"]')).to_have_text("1")
    press(console, "rehearsal.start")
    start = page.locator('[data-action="rehearsal.start"]')
    expect(start).to_have_text("1 person joined. Start anyway?")
    expect(page.get_by_role("heading", name="A simulated crowd is playing")).to_have_count(0)
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("l")
    expect(page.locator('[data-action="joining.unlock"]')).to_be_visible()

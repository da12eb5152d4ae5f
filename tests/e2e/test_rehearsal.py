"""A small simulated crowd, started from one console and shown in two."""

import re

from playwright.sync_api import ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import TABLET, TIMEOUT_MS, press
from tests.e2e.test_console import OWNER, open_console
from tests.server import Server

PHONES = 6
COUNTED = re.compile(r"All \d votes counted\. The slowest reply took \d+\sms\.")
DESKTOP: ViewportSize = {"width": 1280, "height": 800}


def test_rehearsal_starts_reports_and_stops(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", window_s=10, close_early=True)
    first = open_console(server, open_at, event["code"], DESKTOP)
    second = open_console(server, open_at, event["code"])
    first.page.get_by_label("Simulated phones").fill(str(PHONES))
    first.page.keyboard.press("Enter")
    for screen in (first, second):
        expect(screen.page.get_by_role("link", name="A simulated crowd is playing")).to_be_visible(
            timeout=TIMEOUT_MS
        )
        expect(screen.page.get_by_text(f"{PHONES} of {PHONES}")).to_be_visible(timeout=TIMEOUT_MS)
    press(first, "match.start")
    expect(second.page.locator(".verdict")).to_have_text(COUNTED, timeout=TIMEOUT_MS)
    first.shoot("running")
    press(second, "rehearsal.stop")
    for screen in (first, second):
        expect(screen.page.locator(".verdict")).to_contain_text("Last rehearsal: ", timeout=TIMEOUT_MS)
        expect(screen.page.get_by_role("link", name="A simulated crowd is playing")).to_have_count(0)
        expect(screen.page.get_by_role("heading", name="Match 1 was aborted")).to_be_visible(
            timeout=2 * TIMEOUT_MS
        )
        expect(
            screen.page.get_by_text("The simulated crowd has left, so match 1 was aborted")
        ).to_be_visible()
        assert screen.errors == []
    first.shoot("over")


def test_rehearsal_with_people_requires_confirmation(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
    console = open_console(server, open_at, event["code"], DESKTOP)
    person = open_at(server, "rehearsal-person", TABLET)
    person.page.goto(f"/{event['code']}")
    person.wait_for(phase="lobby")
    expect(console.page.locator('[data-joined="1"]')).to_have_text("1", timeout=TIMEOUT_MS)
    press(console, "rehearsal.start")
    expect(console.page.locator('[data-action="rehearsal.start"]')).to_have_text(
        "1 person joined. Start anyway?"
    )
    expect(console.page.get_by_role("heading", name="A simulated crowd is playing")).to_have_count(0)


def test_rehearsal_number_field_ignores_keyboard_shortcuts(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
    console = open_console(server, open_at, event["code"], DESKTOP)
    console.page.get_by_label("Simulated phones").focus()
    console.page.keyboard.press("l")
    expect(console.page.locator('[data-action="joining.lock"]')).to_be_enabled()
    console.page.locator("body").click(position={"x": 5, "y": 5})
    console.page.keyboard.press("l")
    expect(console.page.locator('[data-action="joining.unlock"]')).to_be_visible(timeout=TIMEOUT_MS)

"""The first steps of an organizer."""

from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import TABLET, TIMEOUT_MS
from tests.server import Server


def test_console_header_leads_to_new_event(server: Server, open_at: OpenScreen) -> None:
    console = open_at(server, "first-steps", TABLET)
    sign_in(console.page, server, "olga")
    console.page.goto(f"/console/{server.ask('event')['code']}/")
    link = console.page.get_by_role("banner").get_by_role("link", name="My events")
    expect(link).to_be_in_viewport(timeout=TIMEOUT_MS)
    link.click()
    console.page.get_by_role("link", name="New event").click()
    expect(console.page.get_by_role("heading", name="New event")).to_be_visible()

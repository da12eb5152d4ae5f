"""*My events*: search, pages, archive and copy."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import TABLET
from tests.server import Server

OWNER, OTHER = "list-owner", "list-other"


def search(page: Page, query: str) -> None:
    page.get_by_role("searchbox").fill(query)
    page.get_by_role("button", name="Search").click()


def test_organizer_finds_archives_restores_and_copies_own_events(server: Server, open_at: OpenScreen) -> None:
    page = open_at(server, "event-list", TABLET).page
    sign_in(page, server, OWNER, superuser=True)
    names = [f"Evening {number}" for number in range(1, 22)]
    codes = [server.ask("event", owner=OWNER, name=name)["code"] for name in names]
    foreign = server.ask("event", owner=OTHER, name="Foreign evening")
    page.goto("/console/")
    events = page.get_by_role("article")
    expect(events).to_have_count(20)
    page.get_by_role("link", name="Next", exact=True).click()
    expect(events).to_have_count(1)
    expect(page.get_by_text(foreign["code"])).to_have_count(0)

    search(page, "foreign")
    expect(page.get_by_text("Nothing found for “foreign”")).to_be_visible()
    page.get_by_role("link", name="Clear search").click()
    search(page, codes[6].lower())
    expect(events.get_by_role("heading")).to_have_text("Evening 7")
    expect(events.locator("time")).to_be_visible()

    events.get_by_role("button", name="Archive").click()
    expect(events).to_have_count(0)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(events.get_by_role("heading")).to_have_text("Evening 7")
    events.get_by_role("button", name="Archive").click()
    page.get_by_role("link", name="Clear search").click()
    expect(events).to_have_count(20)
    page.get_by_role("link", name="Archived").click()
    events.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("The archive is empty")).to_be_visible()

    page.get_by_role("main").get_by_role("link", name="My events").click()
    events.first.get_by_role("link", name="Duplicate").click()
    expect(page.get_by_label("Event name")).to_have_value("Evening 21")
    page.goto("/console/")
    page.get_by_role("link", name="All events of this server").click()
    expect(page.get_by_text(foreign["code"])).to_be_visible()


@pytest.mark.nightly
def test_organizer_finds_and_changes_a_folded_setting(server: Server, open_at: OpenScreen) -> None:
    page = open_at(server, "settings", TABLET).page
    sign_in(page, server, "settings-owner", superuser=True)
    page.goto("/console/new/empty/")
    find = page.get_by_label("Search settings")
    expect(find).to_be_hidden()
    page.get_by_text("More settings").click()
    find.fill("nothing like this")
    expect(page.get_by_text("No setting found")).to_be_visible()
    find.fill("columns tie")
    expect(page.get_by_role("heading", name="Series")).to_be_hidden()
    find.press("Enter")
    page.locator("[name=tie_rule][value=lot]").check()
    page.get_by_role("button", name="Create event").click()
    page.wait_for_url(re.compile(r"/console/[A-Z0-9]+/$"))
    page.goto(f"{page.url}edit/")
    expect(page.locator("[name=tie_rule][value=lot]")).to_be_checked()

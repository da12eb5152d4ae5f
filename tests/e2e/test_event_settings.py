"""The settings of a new event, and the event in *My events*."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import TABLET
from tests.server import Server


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
    page.goto("/console/")
    everyone = page.get_by_role("link", name="All events of this server")
    expect(everyone).to_have_attribute("href", "/admin/voting/event/")
    page.get_by_role("article").get_by_role("button", name="Archive").click()
    expect(page.get_by_role("article")).to_have_count(0)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("article")).to_have_count(1)

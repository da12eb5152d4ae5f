"""The first steps of an organizer: the README's first event, and a setting that is folded."""

import re

import pytest
from playwright.sync_api import expect

from crowdgame.server.laptop.paths import ROOT
from tests.e2e.conftest import PASSWORD, OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import TABLET
from tests.e2e.test_console import open_phones
from tests.server import Server

FIRST_EVENT = (ROOT / "README.md").read_text().split("## Your first event")[1].split("\n\n")[1]


@pytest.mark.nightly
def test_new_organizer_follows_the_readme_to_the_first_vote(server: Server, open_at: OpenScreen) -> None:
    section, template, big_screen, lobby, start = re.findall(r"\*(.+?)\*", FIRST_EVENT)
    server.ask("confirmed_organizer", name="nina", password=PASSWORD)
    console = open_at(TABLET, "/console/login/")
    page = console.page
    page.get_by_label("Username or e-mail address").fill("nina")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name=section)).to_be_visible()
    page.get_by_role("button", name=template).first.click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name=big_screen).click()
    display = opened.value.frame_locator("iframe.on").locator("body")
    page.get_by_role("button", name=lobby).click()
    expect(display).to_have_attribute("data-phase", "lobby")
    display.press("f")
    opened.value.wait_for_function("document.fullscreenElement !== null")
    open_phones(open_at, page.url.rstrip("/").rpartition("/")[2])
    page.get_by_role("button", name=start).first.click()
    console.wait_for(phase="voting")


@pytest.mark.nightly
def test_organizer_finds_and_changes_a_folded_setting(server: Server, open_at: OpenScreen) -> None:
    page = open_at(TABLET).page
    sign_in(page, server, "settings-owner")
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

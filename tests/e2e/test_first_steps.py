"""The first steps of an organizer."""

import re

import pytest
from playwright.sync_api import expect

from deploy.laptop.paths import ROOT
from tests.e2e.conftest import PASSWORD, OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PHONE, TABLET, TIMEOUT_MS
from tests.server import Server

FIRST_EVENT = (ROOT / "README.md").read_text().split("## Your first event")[1].split("\n\n")[1]
IS_FULL_SCREEN_JS = "() => document.fullscreenElement !== null"


def test_console_header_leads_to_new_event(server: Server, open_at: OpenScreen) -> None:
    console = open_at(server, "first-steps", TABLET)
    sign_in(console.page, server, "olga")
    console.page.goto(f"/console/{server.ask('event')['code']}/")
    link = console.page.get_by_role("banner").get_by_role("link", name="My events")
    expect(link).to_be_in_viewport(timeout=TIMEOUT_MS)
    link.click()
    console.page.get_by_role("link", name="New event").click()
    expect(console.page.get_by_role("heading", name="New event")).to_be_visible()


@pytest.mark.nightly
def test_new_organizer_follows_the_readme_to_the_first_vote(server: Server, open_at: OpenScreen) -> None:
    section, template, big_screen, lobby, start = re.findall(r"\*(.+?)\*", FIRST_EVENT)
    console = open_at(server, "readme", TABLET)
    page = console.page
    server.ask("confirmed_organizer", name="nina", password=PASSWORD)
    page.goto("/console/login/")
    page.get_by_label("Username or e-mail address").fill("nina")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name=section)).to_be_visible(timeout=TIMEOUT_MS)
    page.get_by_role("button", name=template).first.click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name=big_screen).click(timeout=TIMEOUT_MS)
    stage = opened.value
    display = stage.frame_locator("iframe.on")
    page.get_by_role("button", name=lobby).click()
    expect(display.locator("body")).to_have_attribute("data-phase", "lobby", timeout=TIMEOUT_MS)
    display.locator("body").press("f")
    stage.wait_for_function(IS_FULL_SCREEN_JS)
    for name in ("readme-red", "readme-yellow"):
        phone = open_at(server, name, PHONE)
        phone.page.goto(page.url.replace("/console", ""))
        phone.wait_for(phase="lobby")
    page.get_by_role("button", name=start).first.click()
    console.wait_for(phase="voting")

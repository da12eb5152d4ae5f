"""The first steps of an organizer."""

import re

import pytest
from playwright.sync_api import expect

from crowdgame.server.laptop.paths import ROOT
from tests.e2e.conftest import PASSWORD, OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PHONE, TABLET, TIMEOUT_MS
from tests.server import Server

FIRST_EVENT = (ROOT / "README.md").read_text().split("## Your first event")[1].split("\n\n")[1]
COUNT_CLICKS_JS = """
addEventListener("click", () => (sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1), true)
"""
IS_FULL_SCREEN_JS = "() => document.fullscreenElement !== null"


def test_two_classes_scan_their_codes_after_four_clicks_in_my_events(
    server: Server, open_at: OpenScreen
) -> None:
    console = open_at(server, "first-steps", TABLET)
    page = console.page
    sign_in(page, server, "olga")
    page.goto(f"/console/{server.ask('event', owner='olga')['code']}/")
    page.get_by_role("banner").get_by_role("link", name="My events").click(timeout=TIMEOUT_MS)
    page.wait_for_url("**/console/")
    page.add_init_script(COUNT_CLICKS_JS)
    page.reload()

    page.get_by_role("link", name="New event").click()
    page.get_by_role("button", name="Two classes, one room").click()
    page.get_by_role("button", name="Open the lobby").click(timeout=TIMEOUT_MS)
    console.wait_for(phase="lobby")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open big screen").click()
    expect(opened.value.frame_locator("iframe.on").locator(".team-join .qr")).to_have_count(
        2, timeout=TIMEOUT_MS
    )
    assert page.evaluate("Number(sessionStorage.clicks)") == 4


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

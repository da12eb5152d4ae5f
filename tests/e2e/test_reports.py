import re
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect

from tests.e2e.screens import PROJECTOR, OpenScreen
from tests.server import Server


@pytest.fixture(scope="module")
def report(server: Server, won: str) -> str:
    return f"{server.http}/report/{won}/1"


@pytest.fixture
def page(open_at: OpenScreen, report: str) -> Page:
    return open_at(PROJECTOR, report).page


def expect_turn(page: Page, number: int) -> None:
    expect(page.locator(".turn:visible")).to_have_count(1)
    expect(page.locator(f"#turn-{number}")).to_be_visible()
    expect(page.get_by_role("slider", name="Turn")).to_have_value(str(number))


def test_report_steps_through_turns_by_keys_buttons_and_address(page: Page, report: str) -> None:
    expect_turn(page, 1)
    for key, turn in [("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", 4), ("Home", 1)]:
        page.keyboard.press(key)
        expect_turn(page, turn)
    said = "Turn 1 of 4. Rooks chose column 1, Doves chose column 2."
    expect(page.get_by_role("status")).to_have_text(said)
    for name, turn in [("Next turn", 2), ("Last turn", 4), ("Previous turn", 3), ("First turn", 1)]:
        page.get_by_role("button", name=name).click()
        expect_turn(page, turn)
    page.get_by_role("slider", name="Turn").fill("3")
    expect_turn(page, 3)
    page.get_by_role("button", name="Previous turn").click()
    assert page.url == f"{report}#turn-2"
    page.goto("about:blank")
    page.goto(f"{report}#turn-3")
    expect_turn(page, 3)
    page.clock.install()
    page.reload()
    play = page.get_by_role("button", name="Play")
    play.click()
    page.clock.run_for(60_000)
    expect_turn(page, 4)
    expect(play).to_have_attribute("aria-pressed", "false")


def test_report_shows_all_turns_without_javascript(browser: Browser, report: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(report)
        expect(page.locator(".turn:visible")).to_have_count(4)
        expect(page.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_rules_print_on_one_page(page: Page, server: Server, language: str) -> None:
    page.goto(f"{server.http}/rules?locale={language}")
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1


@pytest.mark.parametrize("path", ["", "/rules", "/about", "/privacy"])
def test_page_has_print_button_and_no_navigation_on_paper(page: Page, path: str) -> None:
    page.add_init_script("window.print = () => { document.title = 'Printed'; }")
    page.goto(path or page.url)
    page.get_by_role("button", name="Print").click()
    expect(page).to_have_title("Printed")
    page.emulate_media(media="print")
    expect(page.get_by_role("main")).to_be_visible()
    for role in ("banner", "contentinfo", "navigation", "button", "slider"):
        expect(page.get_by_role(role)).to_have_count(0)


def test_downloaded_report_opens_offline_and_prints_on_any_paper(page: Page, tmp_path: Path) -> None:
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as one file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    page.context.set_offline(True)
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.goto(file.as_uri())
    expect(page.get_by_role("heading", level=1)).to_have_text("Rooks won")
    expect(page.locator(".turn:visible")).to_have_count(4)
    expect(page.locator(".hero")).to_have_css("background-color", "rgb(11, 16, 32)")
    expect(page.get_by_role("button")).to_have_count(0)
    assert loaded == [file.as_uri()]
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name=re.compile("^http.*report"))).to_be_visible()
    for paper, size in (("A4", b"595"), ("Letter", b"612")):
        assert b"/MediaBox [0 0 " + size in page.pdf(format=paper, prefer_css_page_size=True)

"""Colors, logo and sponsor line of an event: previewed, saved, and shown on the wall and on phones."""

from playwright.sync_api import FilePayload, Page, expect

from tests.crowdgame.events.branding.pictures import picture
from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE
from tests.e2e.test_console import OWNER, open_console, open_wall
from tests.server import Server

BLUE, ORANGE, ORANGE_RGB = "#2f6fd0", "#d06a00", "rgb(208, 106, 0)"
# Larger than forms without a file may be.
LOGO: FilePayload = {
    "name": "logo.png",
    "mimeType": "image/png",
    "buffer": picture(size=(200, 200), compress_level=0),
}


def side_color(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).getPropertyValue('--side')"))


def test_brand_is_previewed_and_shown_on_wall_and_phone(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
    console = open_console(server, open_at, event["code"])
    page, wall = console.page, open_wall(console, open_at).page
    phone = open_at(PHONE, f"/{event['code']}")
    phone.wait_for(phase="lobby")
    page.goto(f"/console/{event['code']}/branding/")
    for name, value in (("color_1", BLUE), ("color_2", ORANGE), ("brand_line", "Kindly Inc")):
        page.locator(f"[name={name}]").fill(value)
    page.locator("[name=logo]").set_input_files(LOGO)
    sample = page.locator(".sample").first
    expect(sample).to_contain_text("Kindly Inc")
    expect(sample.locator("img")).to_be_visible()
    expect(page.locator('[data-number="2"] circle').first).to_have_css("fill", ORANGE_RGB)
    page.locator("button.main").click()
    for shown in (wall, phone.page):
        logo = shown.locator(".brand img")
        expect(logo).to_be_visible()
        assert logo.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
        expect(shown.locator(".brand")).to_contain_text("Kindly Inc")
    ball = wall.locator("[data-ball=yellow] stop:nth-child(2)").first
    expect(ball).to_have_css("stop-color", ORANGE_RGB)
    is_red = phone.page.locator("body").get_attribute("data-side") == "red"
    assert side_color(phone.page) == (BLUE if is_red else ORANGE)
    page.locator(".note button").click()  # undo
    for shown in (wall, phone.page):
        expect(shown.locator(".brand")).to_have_count(0)
    assert side_color(phone.page) not in (BLUE, ORANGE)

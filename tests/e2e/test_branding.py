"""Colors, logo and sponsor line of an event: previewed, saved, and shown on the wall and on phones."""

from playwright.sync_api import FilePayload, Page, expect

from tests.crowdgame.events.branding.pictures import picture
from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE
from tests.e2e.test_console import open_console, open_wall
from tests.server import Server

BLUE, ORANGE = "#2f6fd0", "#d06a00"
LOADED_JS = "image => image.complete && image.naturalWidth > 0"
# Larger than forms without a file may be.
LOGO: FilePayload = {
    "name": "logo.png",
    "mimeType": "image/png",
    "buffer": picture(size=(200, 200), compress_level=0),
}


def property_of(page: Page, selector: str, name: str) -> str:
    script = "(element, name) => getComputedStyle(element).getPropertyValue(name)"
    return str(page.locator(selector).first.evaluate(script, name))


def test_brand_is_previewed_and_shown_on_wall_and_phone(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner="olga", lobby="open")
    console = open_console(server, open_at, event["code"])
    wall = open_wall(console, server, open_at)
    phone = open_at(server, "phone", PHONE)
    phone.page.goto(f"/{event['code']}")
    phone.wait_for(phase="lobby")
    page = console.page
    page.goto(f"/console/{event['code']}/branding/")
    page.locator("[name=color_1]").fill(BLUE)
    page.locator("[name=color_2]").fill(ORANGE)
    page.locator("[name=brand_line]").fill("Kindly Inc")
    page.locator("[name=logo]").set_input_files(LOGO)
    sample = page.locator(".sample").first
    expect(sample).to_contain_text("Kindly Inc")
    expect(sample.locator("img")).to_be_visible()
    assert property_of(page, '[data-number="2"] circle', "fill") == "rgb(208, 106, 0)"
    page.locator("button.main").click()
    for shown in (wall.page, phone.page):
        logo = shown.locator(".brand img")
        expect(logo).to_be_visible()
        assert logo.evaluate(f"image => image.decode().then(() => ({LOADED_JS})(image))")
        expect(shown.locator(".brand")).to_contain_text("Kindly Inc")
    assert property_of(wall.page, "[data-ball=yellow] stop:nth-child(2)", "stop-color") == "rgb(208, 106, 0)"
    side = property_of(phone.page, "body", "--side")
    assert side == (BLUE if phone.page.locator("body").get_attribute("data-side") == "red" else ORANGE)
    page.locator(".note button").click()  # undo
    for shown in (wall.page, phone.page):
        expect(shown.locator(".brand")).to_have_count(0)
    assert property_of(phone.page, "body", "--side") not in (BLUE, ORANGE)
    assert console.errors + wall.errors + phone.errors == []

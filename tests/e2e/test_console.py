import pytest
from playwright.sync_api import FilePayload, Locator, Page, ViewportSize, expect

from tests.crowdgame.events.branding.test_logos import picture
from tests.e2e.page_checks import axe_violations
from tests.e2e.page_visits import PLAYED, SLOW
from tests.e2e.screens import (
    PHONE,
    SMALL_PHONE,
    TABLET,
    TIMEOUT_MS,
    OpenScreen,
    open_console,
    open_phones,
    open_wall,
    press,
    sign_in,
    vote,
    wait_until,
)
from tests.e2e.scripts import page_script
from tests.server import Server

UPRIGHT: ViewportSize = {"width": 820, "height": 1180}
PICTURE_JS = page_script("picture")
BLUE, ORANGE, ORANGE_RGB = "#2f6fd0", "#d06a00", "rgb(208, 106, 0)"
# Larger than forms without a file may be.
LOGO: FilePayload = {
    "name": "logo.png",
    "mimeType": "image/png",
    "buffer": picture(size=(200, 200), compress_level=0),
}


@pytest.mark.nightly
def test_console_switches_sound_of_the_wall_and_shows_it_silent(server: Server, open_at: OpenScreen) -> None:
    """Sound is offered once, when the event opens. A miniature shows the picture of the wall."""
    event = server.ask("event", admission="rotating", window_s=90)
    console = open_console(server, open_at, event["code"])
    wall = open_wall(console, open_at).page.locator("body")
    sound, offer = wall.locator(".sound"), console.page.get_by_role("group", name="Sound on the big screen")
    expect(offer).to_have_count(0)
    press(console, "lobby.open")
    expect(sound).to_have_attribute("data-sound", "off")
    offer.get_by_role("button", name="Sound on").click()
    expect(sound).not_to_have_attribute("data-sound", "off")
    expect(offer).to_have_count(0)
    miniature: Locator = console.page.frame_locator(".preview iframe").locator("body")
    for phase in ("lobby", "voting"):
        for body in (wall, miniature):
            expect(body).to_have_attribute("data-phase", phase)
        wait_until(console, lambda: bool(miniature.evaluate(PICTURE_JS) == wall.evaluate(PICTURE_JS)))
        if phase == "lobby":
            press(console, "match.start")
    expect(miniature.locator(".sound")).to_have_count(0)
    region = console.page.get_by_role("region", name="On the big screen")
    region.get_by_role("switch", name="Sound").click()
    expect(sound).to_have_count(0)


def test_close_now_asks_until_everyone_has_voted(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", window_s=300)
    console = open_console(server, open_at, event["code"])
    phones = open_phones(open_at, event["code"])
    press(console, "match.start")
    close = console.page.locator('[data-action="turn.close"]')
    for missing, phone in zip(("2 phones haven't", "1 phone hasn't"), phones, strict=True):
        phone.wait_for(phase="voting")
        close.click()
        expect(close.locator("span")).to_have_text(f"{missing} voted. Close anyway?")
        expect(close).to_contain_text("Close now")  # without a second click, nothing happens
        vote(phone, 3)
    expect(console.page.locator(".event-status li").filter(has_text="100%")).to_have_count(2)
    close.click()
    phones[0].wait_for(phase="reveal")


def test_button_ignores_a_press_meant_for_its_last_action(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="closed", window_s=300)
    console = open_console(server, open_at, event["code"])
    console.page.locator('[data-action="lobby.open"]').evaluate(page_script("click_changed"))
    press(console, "lobby.open")
    start = console.page.locator('[data-action="match.start"]')
    expect(start).to_have_attribute("aria-disabled", "true")
    expect(start).to_be_enabled()


def test_notice_expires_on_all_screens(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    console = open_console(server, open_at, event["code"])
    wall = open_wall(console, open_at)
    phone = open_at(PHONE, f"/{event['code']}")
    expect(console.page.get_by_label("How long the message is shown")).to_have_value("30")
    console.page.get_by_role("textbox", name="Message to all").fill("Dinner is ready")
    press(console, "notice.show")
    shown = (wall.page.locator(".organizer-notice"), phone.page.locator(".ground-notice"))
    for notice in shown:
        expect(notice).to_have_text("Dinner is ready")
    for notice in (*shown, console.page.locator(".standing")):
        expect(notice).to_have_count(0, timeout=30_000 + TIMEOUT_MS)
    late = open_at(PHONE, f"/{event['code']}")
    late.wait_for(phase="lobby")
    expect(late.page.locator(".ground-notice")).to_have_count(0)


@pytest.mark.nightly
@pytest.mark.parametrize("size", [TABLET, UPRIGHT, SMALL_PHONE], ids=lambda size: str(size["width"]))
def test_console_of_live_match_fits_device(size: ViewportSize, server: Server, open_at: OpenScreen) -> None:
    """The join code stays in view, and charts name their axes. On tablets, little is left empty."""
    event = server.ask("event", **SLOW)
    server.ask("play_to", event_id=event["id"], picks=PLAYED)
    console = open_console(server, open_at, event["code"], size)
    console.wait_for(phase="voting")
    page = console.page
    code = page.locator(".code", has_text=event["code"])
    expect(code).to_be_in_viewport(ratio=1)
    axes = ["share of phones|100%|0%|this turn", "connected|0|time|now", "share of votes|turn"]
    for chart, names in zip(page.locator(".charts figure").all(), axes, strict=True):
        for name in names.split("|"):
            expect(chart.get_by_text(name, exact=True).first).to_be_visible()
    if size is not SMALL_PHONE:
        columns = [page.locator(column).bounding_box() for column in (".side", ".more")]
        left, right = (box for box in columns if box)
        assert abs(left["y"] + left["height"] - right["y"] - right["height"]) < 0.4 * size["height"]
        assert left["x"] <= 24
        assert right["x"] + right["width"] >= size["width"] - 24
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_role("link", name="Privacy")).to_be_in_viewport()
    expect(code).to_be_in_viewport(ratio=1)


@pytest.mark.nightly
@pytest.mark.parametrize(("led_from", "key"), [("console", "Space"), ("wall", "PageDown")])
def test_host_goes_on_with_one_key(led_from: str, key: str, server: Server, open_at: OpenScreen) -> None:
    terms = {"window_s": 300, "host_wait_s": 180, "close_early": True, "pace": "brisk"}
    event = server.ask("event", lobby="open", **terms)
    led = console = open_console(server, open_at, event["code"])
    phones = open_phones(open_at, event["code"])
    press(console, "match.start")
    wall = open_wall(console, open_at)
    if led_from == "wall":
        led = wall
        sign_in(wall.page, server, "olga")
        wall.page.reload()
    else:
        console.page.locator("summary").first.click()  # it doesn't keep the focus
    for phone in phones:
        phone.wait_for(phase="voting")
        vote(phone, 4)
    wall.wait_for(phase="sealed")
    led.page.wait_for_timeout(1_500)  # without the key, nothing should happen
    phones[0].wait_for(phase="sealed")
    led.page.keyboard.press(key)
    phones[0].wait_for(phase="reveal")
    led.page.wait_for_timeout(15_000)  # without the key, no turn opens after the reveal
    assert wall.page.locator("body").get_attribute("data-phase") != "voting"
    led.page.keyboard.press(key)
    wall.wait_for(phase="voting", turn="2")


@pytest.mark.nightly
def test_brand_is_previewed_and_shown_on_wall_and_phone(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    console = open_console(server, open_at, event["code"])
    page, wall = console.page, open_wall(console, open_at).page
    phone = open_at(PHONE, f"/{event['code']}")
    phone.wait_for(phase="lobby")

    def side_color() -> str:
        return str(phone.page.evaluate("getComputedStyle(document.body).getPropertyValue('--side')"))

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
    assert side_color() == (BLUE if is_red else ORANGE)
    server.ask("open_turn_now", event_id=event["id"])
    home = open_at(TABLET, f"/display/{event['code']}?home=yellow")
    home.wait_for(phase="voting")
    ball = home.page.locator("[data-ball=yellow] stop:nth-child(2)").first
    expect(ball).to_have_css("stop-color", ORANGE_RGB)
    page.locator(".note button").click()  # undo
    for shown in (wall, phone.page):
        expect(shown.locator(".brand")).to_have_count(0)
    assert side_color() not in (BLUE, ORANGE)


@pytest.mark.nightly
def test_operation_is_sent_with_the_token_and_its_arguments(server: Server, open_at: OpenScreen) -> None:
    screen = open_at(SMALL_PHONE)
    page = screen.page
    sign_in(page, server, "olga")
    page.goto("/api/v1/")
    code = server.ask("event", owner="olga", name="An evening")["code"]
    expect(send(page, "listEvents")).to_contain_text("401")
    screen.errors.clear()
    page.get_by_label("API token").fill(server.ask("api_token", name="olga", scopes=["read", "run"]))
    expect(send(page, "match.start", code=code, JSON="{}")).to_contain_text("200 OK")
    expect(send(page, "listMatches", code=code)).to_contain_text('"state": "playing"')
    assert not axe_violations(page, "api")


def send(page: Page, operation: str, **fields: str) -> Locator:
    shown = page.locator(f'[id="{operation}"]')
    shown.locator("summary").click()
    for name, value in fields.items():
        shown.get_by_label(name, exact=True).fill(value)
    shown.get_by_role("button", name="Send").click()
    return shown.locator("pre")

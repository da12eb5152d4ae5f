"""The console beside the big screen and the phones."""

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.display_scenes import DISPLAY_SCENES
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.page_states import PLAYED, play_to
from tests.e2e.page_visits import SLOW, Visit, sign_in, visit
from tests.e2e.scene_setup import Scene, show_scene
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, Screen, press, vote, wait_until
from tests.server import Server

OWNER = "olga"
UPRIGHT: ViewportSize = {"width": 820, "height": 1180}
NARROW: ViewportSize = {"width": 320, "height": 640}
BIG_SCREENS: tuple[ViewportSize, ...] = ({"width": 1920, "height": 1080}, {"width": 1024, "height": 768})
PICTURE_JS = r"""(body) => {
  const main = body.querySelector("main").cloneNode(true);
  main.querySelectorAll("[role=timer], .bar, .sound, canvas").forEach((part) => part.remove());
  return main.outerHTML.replace(/\d+\.\d+/g, Math.round);
}"""
EDGE_PX = 24


CLICK_CHANGED_JS = """(button) => {
  new MutationObserver(() => button.click()).observe(button, { attributeFilter: ["data-action"] });
}"""


def open_console(server: Server, open_at: OpenScreen, code: str, size: ViewportSize = TABLET) -> Screen:
    """Open the console of an event of OWNER."""
    console = open_at(server, "console", size)
    sign_in(console.page, server, OWNER)
    console.page.goto(f"/console/{code}/")
    expect(console.page.locator("[data-action]").first).to_be_visible(timeout=TIMEOUT_MS)
    return console


def open_wall(console: Screen, server: Server, open_at: OpenScreen) -> Screen:
    """Open the display that the link of the console's header shows in a frame, on a projector."""
    wall = open_at(server, "wall", PROJECTOR)
    stage = str(console.page.get_by_role("link", name="Open big screen").get_attribute("href"))
    wall.page.goto(stage.replace("/stage/", "/display/"))
    return wall


def picture(screen: Locator) -> str:
    """What a display draws, without the running time and the button for sound."""
    return str(screen.evaluate(PICTURE_JS))


def miniature(console: Screen) -> Locator:
    return console.page.frame_locator(".preview iframe").locator("body")


@pytest.mark.nightly
def test_miniature_shows_the_big_screen(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", admission="rotating", window_s=90)
    console = open_console(server, open_at, event["code"])
    wall = open_wall(console, server, open_at)
    wall.page.evaluate("localStorage.setItem('crowdgame:sound', 'on')")
    for phase in ("lobby", "voting"):
        for body in (wall.page.locator("body"), miniature(console)):
            expect(body).to_have_attribute("data-phase", phase, timeout=TIMEOUT_MS)
        wait_until(console, lambda: picture(miniature(console)) == picture(wall.page.locator("body")))
        if phase == "lobby":
            console.page.locator('[data-action="match.start"]').click()
    expect(miniature(console).locator(".sound")).to_have_count(0)
    console.page.keyboard.press("Tab")
    assert console.errors == wall.errors == []


@pytest.mark.nightly
def test_console_switches_sound_of_the_wall(server: Server, open_at: OpenScreen) -> None:
    """Sound is offered once, when the event opens."""
    event = server.ask("event", owner=OWNER)
    console = open_console(server, open_at, event["code"])
    wall = open_wall(console, server, open_at)
    offer = console.page.get_by_role("group", name="Sound on the big screen")
    expect(offer).to_have_count(0)
    press(console, "lobby.open")
    expect(wall.page.locator(".sound")).to_have_attribute("data-sound", "off", timeout=TIMEOUT_MS)
    offer.get_by_role("button", name="Sound on").click()
    expect(wall.page.locator(".sound")).not_to_have_attribute("data-sound", "off", timeout=TIMEOUT_MS)
    expect(offer).to_have_count(0)
    region = console.page.get_by_role("region", name="On the big screen")
    region.get_by_role("switch", name="Sound").click()
    expect(wall.page.locator(".sound")).to_have_count(0, timeout=TIMEOUT_MS)


def test_close_now_asks_until_everyone_has_voted(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", window_s=300)
    console = open_console(server, open_at, event["code"])
    phones = [open_at(server, f"phone-{number}", PHONE) for number in (1, 2)]
    for phone in phones:
        phone.page.goto(f"/{event['code']}")
        phone.wait_for(phase="lobby")
    press(console, "match.start")
    close = console.page.locator('[data-action="turn.close"]')
    for missing, phone in zip(("2 phones haven't", "1 phone hasn't"), phones, strict=True):
        phone.wait_for(phase="voting")
        close.click()
        expect(close.locator("span")).to_have_text(f"{missing} voted. Close anyway?")
        expect(close).to_contain_text(
            "Close now", timeout=TIMEOUT_MS
        )  # without a second click, nothing happens
        vote(phone, 3)
    expect(console.page.locator(".event-status li").filter(has_text="100%")).to_have_count(2)
    close.click()
    phones[0].wait_for(phase="reveal")


def test_button_ignores_a_press_meant_for_its_last_action(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="closed", window_s=300)
    console = open_console(server, open_at, event["code"])
    console.page.locator('[data-action="lobby.open"]').evaluate(CLICK_CHANGED_JS)
    press(console, "lobby.open")
    start = console.page.locator('[data-action="match.start"]')
    expect(start).to_have_attribute("aria-disabled", "true", timeout=TIMEOUT_MS)
    expect(start).to_be_enabled(timeout=TIMEOUT_MS)


def test_notice_expires_on_all_screens(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
    console = open_console(server, open_at, event["code"])
    wall = open_wall(console, server, open_at)
    phone = open_at(server, "phone", PHONE)
    phone.page.goto(f"/{event['code']}")
    expect(console.page.get_by_label("How long the message is shown")).to_have_value("30")
    console.page.get_by_role("textbox", name="Message to all").fill("Dinner is ready")
    press(console, "notice.show")
    shown = (wall.page.locator(".organizer-notice"), phone.page.locator(".ground-notice"))
    for notice in shown:
        expect(notice).to_have_text("Dinner is ready", timeout=TIMEOUT_MS)
    for notice in (*shown, console.page.locator(".standing")):
        expect(notice).to_have_count(0, timeout=30_000 + TIMEOUT_MS)
    late = open_at(server, "late", PHONE)
    late.page.goto(f"/{event['code']}")
    late.wait_for(phase="lobby")
    expect(late.page.locator(".ground-notice")).to_have_count(0)


@pytest.mark.nightly
@pytest.mark.parametrize("size", BIG_SCREENS, ids=["16x9", "4x3"])
@pytest.mark.parametrize("scene", [scene for scene in DISPLAY_SCENES if "notice" in scene.name])
def test_notice_covers_no_team_name(
    scene: Scene, size: ViewportSize, window: Page, fake_gateway: FakeGateway
) -> None:
    window.set_viewport_size(size)
    show_scene("display", scene, window, fake_gateway)
    notice = window.locator(".organizer-notice").bounding_box()
    names = [name.bounding_box() for name in window.locator("h2").all()]
    assert notice
    assert len(names) == 2
    assert all(name and name["y"] + name["height"] <= notice["y"] for name in names)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "size", [PROJECTOR, TABLET, UPRIGHT, PHONE, NARROW], ids=lambda size: str(size["width"])
)
def test_join_code_stays_in_view(size: ViewportSize, server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
    console = open_console(server, open_at, event["code"], size)
    code = console.page.locator(".code", has_text=event["code"])
    expect(code).to_be_in_viewport(ratio=1)
    console.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(console.page.get_by_role("link", name="Privacy")).to_be_in_viewport()
    expect(code).to_be_in_viewport(ratio=1)


@pytest.mark.nightly
def test_charts_name_their_axes(server: Server, open_at: OpenScreen) -> None:
    console = open_at(server, "charts", TABLET)
    prepared = Visit(
        "console-charts", "/console/{code}/", choices=SLOW, prepare=play_to(*PLAYED), phase="voting"
    )
    event = visit(prepared, console.page, server)
    charts = console.page.locator(".charts figure")
    for chart, axes in zip(
        charts.all(),
        (
            ("share of phones", "100%", "0%", "this turn"),
            ("connected", "0", "time", "now"),
            ("share of votes", "turn"),
        ),
        strict=True,
    ):
        for axis in axes:
            expect(chart.get_by_text(axis, exact=True).first).to_be_visible()
    console.page.goto(f"/report/{event['code']}/1")
    expect(console.page.locator(".charts .axis")).to_have_text(
        ["Votes", "Turn", "Share of votes", "Turn", "Time", "Turn"]
    )


@pytest.mark.nightly
@pytest.mark.parametrize("size", [TABLET, UPRIGHT], ids=["landscape", "portrait"])
def test_tablet_columns_are_both_used(size: ViewportSize, server: Server, open_at: OpenScreen) -> None:
    """The shorter column leaves little empty, although its activity log has only one of ten lines."""
    console = open_at(server, "tablet", size)
    prepared = Visit(
        "console-tablet", "/console/{code}/", choices=SLOW, prepare=play_to(*PLAYED), phase="voting"
    )
    visit(prepared, console.page, server)
    columns = [console.page.locator(column).bounding_box() for column in (".side", ".more")]
    left, right = (box for box in columns if box)
    assert abs(left["y"] + left["height"] - right["y"] - right["height"]) < 0.4 * size["height"]
    assert left["x"] <= EDGE_PX
    assert right["x"] + right["width"] >= size["width"] - EDGE_PX


@pytest.mark.nightly
def test_long_headline_is_not_cut_off(server: Server, open_at: OpenScreen) -> None:
    names = ("North Hall of the Old Observatory", "South Hall")
    event = server.ask("event", owner=OWNER, names=names, lobby="open")
    server.ask("play_to", event_id=event["id"], picks=[[1, 2], [1, 3], [1, 5], [1, 6]])
    console = open_console(server, open_at, event["code"], {"width": 1280, "height": 800})
    headline = console.page.get_by_role("heading", level=2).first
    expect(headline).to_have_text(f"{names[0]} won match 1: Four in a row", timeout=TIMEOUT_MS)
    expect(console.page.locator(".matches li")).to_contain_text(f"{names[0]} won, 4 turns: Four in a row")
    assert headline.evaluate("heading => heading.scrollHeight <= heading.clientHeight + 1")
    assert headline.evaluate("heading => heading.scrollWidth <= heading.clientWidth")

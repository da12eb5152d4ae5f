"""The console beside the big screen and the phones."""

import re

import pytest
from playwright.sync_api import Locator, ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_states import PLAYED, play_to
from tests.e2e.page_visits import SLOW, sign_in
from tests.e2e.screens import (
    PHONE,
    PROJECTOR,
    SMALL_PHONE,
    TABLET,
    TIMEOUT_MS,
    Screen,
    press,
    vote,
    wait_until,
)
from tests.server import Server

OWNER = "olga"
UPRIGHT: ViewportSize = {"width": 820, "height": 1180}
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
    console = open_at(size)
    sign_in(console.page, server, OWNER)
    console.page.goto(f"/console/{code}/")
    expect(console.page.locator("[data-action]").first).to_be_visible()
    return console


def open_wall(console: Screen, open_at: OpenScreen) -> Screen:
    """Open the display that the link of the console's header shows in a frame, on a projector."""
    stage = str(console.page.get_by_role("link", name="Open big screen").get_attribute("href"))
    return open_at(PROJECTOR, stage.replace("/stage/", "/display/"))


def open_phones(open_at: OpenScreen, code: str) -> list[Screen]:
    """Two phones in the lobby, one in each team."""
    phones = [open_at(PHONE, f"/{code}") for _ in range(2)]
    for phone in phones:
        phone.wait_for(phase="lobby")
    return phones


def picture(screen: Locator) -> str:
    """What a display draws, without the running time and the button for sound."""
    return str(screen.evaluate(PICTURE_JS))


@pytest.mark.nightly
def test_miniature_shows_the_big_screen(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", admission="rotating", window_s=90)
    console = open_console(server, open_at, event["code"])
    wall = open_wall(console, open_at).page.locator("body")
    wall.evaluate("localStorage.setItem('crowdgame:sound', 'on')")
    miniature = console.page.frame_locator(".preview iframe").locator("body")
    for phase in ("lobby", "voting"):
        for body in (wall, miniature):
            expect(body).to_have_attribute("data-phase", phase)
        wait_until(console, lambda: picture(miniature) == picture(wall))
        if phase == "lobby":
            press(console, "match.start")
    expect(miniature.locator(".sound")).to_have_count(0)


@pytest.mark.nightly
def test_console_switches_sound_of_the_wall(server: Server, open_at: OpenScreen) -> None:
    """Sound is offered once, when the event opens."""
    console = open_console(server, open_at, server.ask("event", owner=OWNER)["code"])
    sound = open_wall(console, open_at).page.locator(".sound")
    offer = console.page.get_by_role("group", name="Sound on the big screen")
    expect(offer).to_have_count(0)
    press(console, "lobby.open")
    expect(sound).to_have_attribute("data-sound", "off")
    offer.get_by_role("button", name="Sound on").click()
    expect(sound).not_to_have_attribute("data-sound", "off")
    expect(offer).to_have_count(0)
    region = console.page.get_by_role("region", name="On the big screen")
    region.get_by_role("switch", name="Sound").click()
    expect(sound).to_have_count(0)


def test_close_now_asks_until_everyone_has_voted(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", window_s=300)
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
    event = server.ask("event", owner=OWNER, lobby="closed", window_s=300)
    console = open_console(server, open_at, event["code"])
    console.page.locator('[data-action="lobby.open"]').evaluate(CLICK_CHANGED_JS)
    press(console, "lobby.open")
    start = console.page.locator('[data-action="match.start"]')
    expect(start).to_have_attribute("aria-disabled", "true")
    expect(start).to_be_enabled()


def test_notice_expires_on_all_screens(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
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
def test_join_code_stays_in_view(size: ViewportSize, server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open")
    page = open_console(server, open_at, event["code"], size).page
    code = page.locator(".code", has_text=event["code"])
    expect(code).to_be_in_viewport(ratio=1)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_role("link", name="Privacy")).to_be_in_viewport()
    expect(code).to_be_in_viewport(ratio=1)


@pytest.mark.nightly
@pytest.mark.parametrize("size", [TABLET, UPRIGHT], ids=["landscape", "portrait"])
def test_tablet_shows_a_running_match(size: ViewportSize, server: Server, open_at: OpenScreen) -> None:
    """Charts name their axes; the shorter column leaves little empty, although its log has one line."""
    event = server.ask("event", owner=OWNER, **SLOW)
    play_to(*PLAYED)(server, event)
    console = open_console(server, open_at, event["code"], size)
    console.wait_for(phase="voting")
    page = console.page
    axes = ["share of phones|100%|0%|this turn", "connected|0|time|now", "share of votes|turn"]
    for chart, names in zip(page.locator(".charts figure").all(), axes, strict=True):
        for name in names.split("|"):
            expect(chart.get_by_text(name, exact=True).first).to_be_visible()
    columns = [page.locator(column).bounding_box() for column in (".side", ".more")]
    left, right = (box for box in columns if box)
    assert abs(left["y"] + left["height"] - right["y"] - right["height"]) < 0.4 * size["height"]
    assert left["x"] <= EDGE_PX
    assert right["x"] + right["width"] >= size["width"] - EDGE_PX
    page.goto(f"/report/{event['code']}/1")
    axes = ["Votes", "Turn", "Share of votes", "Turn", "Time", "Turn"]
    expect(page.locator(".charts .axis")).to_have_text(axes)


@pytest.mark.nightly
@pytest.mark.parametrize(("led_from", "key"), [("console", "Space"), ("wall", "PageDown")])
def test_host_reveals_and_goes_on_with_one_key(
    led_from: str, key: str, server: Server, open_at: OpenScreen
) -> None:
    terms = {"window_s": 300, "host_wait_s": 180, "close_early": True, "pace": "brisk"}
    event = server.ask("event", owner=OWNER, lobby="open", **terms)
    led = console = open_console(server, open_at, event["code"])
    phones = open_phones(open_at, event["code"])
    press(console, "match.start")
    wall = open_wall(console, open_at)
    if led_from == "wall":
        led = wall
        sign_in(wall.page, server, OWNER)
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
    led.page.wait_for_timeout(15_000)
    assert wall.page.locator("body").get_attribute("data-phase") != "voting"
    led.page.keyboard.press(key)
    wall.wait_for(phase="voting", turn="2")


def test_console_shows_talk_time_left_and_no_votes(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", window_s=90, talk_s=60)
    console = open_console(server, open_at, event["code"])
    press(console, "match.start")
    press(console, "turn.pause")
    clock = console.page.locator(".event-status .clock b")
    expect(clock).to_have_text(re.compile(r"^([1-5]?\d|1:00)$"))
    expect(console.page.locator("[data-voted]").first).to_be_hidden()

"""Joining with nothing but what the projector shows: its QR codes and its address."""

import re
from typing import Any

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, Screen, press
from tests.e2e.test_console import open_wall
from tests.server import Server
from voting.admission.links import qr_rows

Code = dict[str, Any]  # a QR code on the display, and the team that it is shown for
OLD_PROJECTOR: ViewportSize = {"width": 1024, "height": 768}
CODES_JS = """() => [...document.querySelectorAll(".qr")].map(card => {
  const [symbol, half] = [card.querySelector("path"), card.closest(".team-join")];
  const {left, right, top, bottom} = symbol.getBoundingClientRect();
  return {
    url: card.getAttribute("aria-label").replace("QR code to join: ", ""),
    path: symbol.getAttribute("d"), left, right, height: bottom - top,
    team: half?.querySelector("h2").textContent ?? null, side: half?.dataset.side ?? null,
  };
})"""

LARGE_JS = f"(least) => ({CODES_JS})().every(({{height}}) => height >= least)"


def drawn_rows(path: str) -> tuple[str, ...]:
    """The rows of a QR code that is drawn as an SVG path of horizontal runs."""
    runs = [tuple(map(int, run)) for run in re.findall(r"M(\d+) (\d+)h(\d+)", path)]
    quiet = min(x for x, _, _ in runs)
    dark = {(y, x + step) for x, y, length in runs for step in range(length)}
    side = range(quiet, max(y for _, y, _ in runs) + 1)
    return tuple("".join("01"[(y, x) in dark] for x in side) for y in side)


def open_display(server: Server, open_at: OpenScreen, console: Screen) -> Screen:
    """Open the big screen by the console's link."""
    display = open_wall(console, server, open_at)
    display.wait_for(phase="lobby")
    expect(display.page.locator(".qr").first).to_be_visible(timeout=TIMEOUT_MS)
    return display


def read_codes(display: Screen) -> list[Code]:
    codes: list[Code] = display.page.evaluate(CODES_JS)
    assert [drawn_rows(code["path"]) for code in codes] == [qr_rows(code["url"]) for code in codes]
    return codes


def scan(server: Server, open_at: OpenScreen, code: Code) -> Screen:
    phone = open_at(server, "joining-scan", PHONE)
    phone.page.goto(code["url"].upper())
    phone.wait_for(phase="lobby")
    return phone


def check_joining(server: Server, open_at: OpenScreen, console: Screen, count: int) -> None:
    """Join with each code and with the address. `count`: the number of codes."""
    display = open_display(server, open_at, console)
    codes = read_codes(display)
    assert len(codes) == count
    for code in codes:
        phone = scan(server, open_at, code)
        if code["side"]:
            phone.wait_for(side=code["side"])
    phone = open_at(server, "joining-type", PHONE)
    phone.page.goto(f"http://{display.page.locator('.join-info .address').inner_text()}")
    if count == 2:
        check_halves(display)
        buttons = phone.page.get_by_role("button")
        expect(buttons).to_have_text([code["team"] or "" for code in codes], timeout=TIMEOUT_MS)
        buttons.last.click()
        phone.wait_for(team="2")
        expect(display.page.locator("[data-joined]")).to_have_text(["1", "2"], timeout=TIMEOUT_MS)
    phone.wait_for(phase="lobby")


def check_halves(display: Screen) -> None:
    """Each team's code is large, and in the team's half of the screen."""
    for size in (OLD_PROJECTOR, PROJECTOR):
        display.page.set_viewport_size(size)
        display.page.wait_for_function(LARGE_JS, arg=0.45 * size["height"], timeout=TIMEOUT_MS)
        first, second = read_codes(display)
        middle = size["width"] / 2
        assert 0 < first["left"] < first["right"] < middle
        assert middle < second["left"] < second["right"] < size["width"]


@pytest.mark.parametrize(("slug", "codes"), [("two-halls", 1), ("two-classes", 2)])
def test_phone_joins_template_from_display(
    slug: str, codes: int, server: Server, open_at: OpenScreen
) -> None:
    console = open_at(server, "joining-console", TABLET)
    sign_in(console.page, server, "joining-host")
    console.page.goto(f"/console/new/{slug}/")
    console.page.get_by_label("First team, red").fill("North Hall")
    console.page.get_by_label("Second team, yellow").fill("South Hall")
    console.page.get_by_role("button", name="Create event").click()
    press(console, "lobby.open")
    check_joining(server, open_at, console, codes)


@pytest.mark.nightly
def test_team_links_contain_rotating_code(server: Server, open_at: OpenScreen) -> None:
    console = open_at(server, "joining-rotating", TABLET)
    sign_in(console.page, server, "olga")
    made = server.ask("event", lobby="open", team_choice="link", admission="rotating")
    console.page.goto(f"/console/{made['code']}/")
    display = open_display(server, open_at, console)
    expect(display.page.locator(".rotating-code b")).to_be_visible(timeout=TIMEOUT_MS)
    codes = read_codes(display)
    assert [scan(server, open_at, code).page.url for code in codes] == [
        f"{server.http}/{made['code']}/{team}" for team in (1, 2)
    ]


def test_display_follows_how_voters_join_a_team(server: Server, open_at: OpenScreen) -> None:
    console = open_at(server, "joining-change", TABLET)
    sign_in(console.page, server, "olga")
    made = server.ask("event", lobby="open")
    console.page.goto(f"/console/{made['code']}/")
    display = open_display(server, open_at, console)
    for choice, count in (("link", 2), ("choose", 1), ("link", 2)):
        server.ask("edit", event_id=made["id"], team_choice=choice)
        expect(display.page.locator(".qr")).to_have_count(count, timeout=TIMEOUT_MS)
    server.ask("vote_by_hands", event_id=made["id"], teams=[2])
    expect(display.page.locator(".qr")).to_have_count(1, timeout=TIMEOUT_MS)


@pytest.mark.parametrize(("home", "team"), [("red", "1"), ("yellow", "2")])
def test_screen_of_one_team_shows_only_its_code(
    home: str, team: str, server: Server, open_at: OpenScreen
) -> None:
    code = server.ask("event", lobby="open", team_choice="link")["code"]
    display = open_at(server, f"joining-{home}", PROJECTOR)
    display.page.goto(f"/display/{code}?home={home}")
    expect(display.page.locator(".qr")).to_have_count(1, timeout=TIMEOUT_MS)
    (shown,) = read_codes(display)
    scan(server, open_at, shown).wait_for(team=team)

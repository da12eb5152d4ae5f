"""Joining with nothing but what the projector shows: its QR codes and its address."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import OLD_PROJECTOR, PHONE, PROJECTOR, Screen, press
from tests.e2e.test_console import OWNER, open_console, open_wall
from tests.server import Server
from voting.admission.links import qr_rows

Code = dict[str, Any]  # a QR code on the display, and the team that it is shown for
CODES_JS = """() => [...document.querySelectorAll(".qr")].map(card => {
  const [symbol, half] = [card.querySelector("path"), card.closest(".team-join")];
  const {left, right, top, bottom} = symbol.getBoundingClientRect();
  return {
    url: card.getAttribute("aria-label").replace("QR code to join: ", ""),
    path: symbol.getAttribute("d"), left, right, height: bottom - top,
    team: half?.querySelector("h2").textContent ?? null, side: half?.dataset.side ?? null,
  };
})"""
ELSEWHERE = "Your seat is open in another window"
LARGE_JS = f"(least) => ({CODES_JS})().every(({{height}}) => height >= least)"


def drawn_rows(path: str) -> tuple[str, ...]:
    """The rows of a QR code that is drawn as an SVG path of horizontal runs."""
    runs = [tuple(map(int, run)) for run in re.findall(r"M(\d+) (\d+)h(\d+)", path)]
    quiet = min(x for x, _, _ in runs)
    dark = {(y, x + step) for x, y, length in runs for step in range(length)}
    side = range(quiet, max(y for _, y, _ in runs) + 1)
    return tuple("".join("01"[(y, x) in dark] for x in side) for y in side)


def read_codes(display: Screen, count: int) -> list[Code]:
    expect(display.page.locator(".qr")).to_have_count(count)
    codes: list[Code] = display.page.evaluate(CODES_JS)
    assert [drawn_rows(code["path"]) for code in codes] == [qr_rows(code["url"]) for code in codes]
    return codes


def scan(open_at: OpenScreen, code: Code) -> Screen:
    phone = open_at(PHONE, code["url"].upper())
    phone.wait_for(phase="lobby", **({"side": code["side"]} if code["side"] else {}))
    return phone


@pytest.mark.parametrize(("slug", "count"), [("two-halls", 1), ("two-classes", 2)])
def test_phone_joins_template_from_display(
    slug: str, count: int, server: Server, open_at: OpenScreen
) -> None:
    console = open_console(server, open_at, server.ask("event", owner=OWNER)["code"])
    console.page.goto(f"/console/new/{slug}/")
    console.page.get_by_label("First team, red").fill("North Hall")
    console.page.get_by_label("Second team, yellow").fill("South Hall")
    console.page.get_by_role("button", name="Create event").click()
    press(console, "lobby.open")
    display = open_wall(console, open_at)
    display.wait_for(phase="lobby")
    codes = read_codes(display, count)
    for code in codes:
        scan(open_at, code)
    address = display.page.locator(".join-info .address").inner_text()
    phone = open_at(PHONE, f"http://{address}")
    if count == 2:
        for size in (OLD_PROJECTOR, PROJECTOR):
            display.page.set_viewport_size(size)
            display.page.wait_for_function(LARGE_JS, arg=0.45 * size["height"])
            first, second = read_codes(display, 2)
            middle = size["width"] / 2
            assert 0 < first["left"] < first["right"] < middle
            assert middle < second["left"] < second["right"] < size["width"]
        buttons = phone.page.get_by_role("button")
        expect(buttons).to_have_text([code["team"] for code in codes])
        buttons.last.click()
        phone.wait_for(team="2")
        expect(display.page.locator("[data-joined]")).to_have_text(["1", "2"])
    phone.wait_for(phase="lobby")


@pytest.mark.nightly
def test_team_links_contain_rotating_code(server: Server, open_at: OpenScreen) -> None:
    made = server.ask("event", owner=OWNER, lobby="open", team_choice="link", admission="rotating")
    display = open_wall(open_console(server, open_at, made["code"]), open_at)
    expect(display.page.locator(".rotating-code b")).to_be_visible()
    urls = [scan(open_at, code).page.url for code in read_codes(display, 2)]
    assert urls == [f"{server.http}/{made['code']}/{team}" for team in (1, 2)]


def test_newest_browser_windows_keep_the_seat(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    first = open_at(PHONE, f"/{event['code']}")
    first.wait_for(phase="lobby", team="1")
    others = [first.page.context.new_page() for _ in range(4)]
    for page in others:
        page.goto(f"/{event['code']}")
        expect(page.locator("body")).to_have_attribute("data-team", "1")
    expect(first.page.get_by_role("heading")).to_have_text(ELSEWHERE)
    first.page.get_by_role("button", name="Continue here").click()
    first.wait_for(phase="lobby", team="1")
    expect(others[0].get_by_role("heading")).to_have_text(ELSEWHERE)
    for page in others[1:]:
        expect(page.locator("body")).to_have_attribute("data-phase", "lobby")

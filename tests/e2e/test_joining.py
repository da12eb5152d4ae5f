import re
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.screens import OLD_PROJECTOR, PHONE, PROJECTOR, OpenScreen, open_console, open_wall, press
from tests.e2e.scripts import page_script
from tests.server import Server
from voting.admission.links import qr_rows

ALLOW = "autoplay; fullscreen; screen-wake-lock"
Code = dict[str, Any]  # a QR code on the display, and the team that it is shown for
CODES_JS = page_script("codes")
LARGE_JS = f"(least) => ({CODES_JS})().every(({{height}}) => height >= least)"
BALLOTS = """SELECT side, "choice" FROM voting_storedballot JOIN games_turn ON games_turn.id = turn_id
  JOIN games_match ON games_match.id = match_id WHERE event_id = ?"""


def drawn_rows(path: str) -> tuple[str, ...]:
    """The rows of a QR code that is drawn as an SVG path of horizontal runs."""
    runs = [tuple(map(int, run)) for run in re.findall(r"M(\d+) (\d+)h(\d+)", path)]
    quiet = min(x for x, _, _ in runs)
    dark = {(y, x + step) for x, y, length in runs for step in range(length)}
    side = range(quiet, max(y for _, y, _ in runs) + 1)
    return tuple("".join("01"[(y, x) in dark] for x in side) for y in side)


def read_codes(display: Page, count: int) -> list[Code]:
    expect(display.locator(".qr")).to_have_count(count)
    codes: list[Code] = display.evaluate(CODES_JS)
    assert [drawn_rows(code["path"]) for code in codes] == [qr_rows(code["url"]) for code in codes]
    return codes


@pytest.mark.parametrize(("slug", "count"), [("two-halls", 1), ("two-classes", 2)])
def test_phone_joins_from_the_display(slug: str, count: int, server: Server, open_at: OpenScreen) -> None:
    console = open_console(server, open_at, server.ask("event")["code"])
    console.page.goto(f"/console/new/{slug}/")
    console.page.get_by_label("First team, red").fill("North Hall")
    console.page.get_by_label("Second team, yellow").fill("South Hall")
    console.page.get_by_role("button", name="Create event").click()
    press(console, "lobby.open")
    display = open_wall(console, open_at)
    display.wait_for(phase="lobby")
    codes = read_codes(display.page, count)
    for code in codes:
        own_side = {"side": code["side"]} if code["side"] else {}
        open_at(PHONE, code["url"].upper()).wait_for(phase="lobby", **own_side)
    address = display.page.locator(".join-info .address").inner_text()
    phone = open_at(PHONE, f"http://{address}")
    if count == 2:
        for size in (OLD_PROJECTOR, PROJECTOR):
            display.page.set_viewport_size(size)
            display.page.wait_for_function(LARGE_JS, arg=0.45 * size["height"])
            first, second = read_codes(display.page, 2)
            middle = size["width"] / 2
            assert 0 < first["left"] < first["right"] < middle
            assert middle < second["left"] < second["right"] < size["width"]
        buttons = phone.page.get_by_role("button")
        expect(buttons).to_have_text([code["team"] for code in codes])
        buttons.last.click()
        phone.wait_for(team="2")
        expect(display.page.locator("[data-joined]")).to_have_text(["1", "2"])
    phone.wait_for(phase="lobby")


def test_newest_browser_windows_keep_the_seat(server: Server, open_at: OpenScreen) -> None:
    event, elsewhere = server.ask("event", lobby="open"), "Your seat is open in another window"
    first = open_at(PHONE, f"/{event['code']}")
    first.wait_for(phase="lobby", team="1")
    others = [first.page.context.new_page() for _ in range(4)]
    for page in others:
        page.goto(f"/{event['code']}")
        expect(page.locator("body")).to_have_attribute("data-team", "1")
    expect(first.page.get_by_role("heading")).to_have_text(elsewhere)
    first.page.get_by_role("button", name="Continue here").click()
    first.wait_for(phase="lobby", team="1")
    expect(others[0].get_by_role("heading")).to_have_text(elsewhere)
    for page in others[1:]:
        expect(page.locator("body")).to_have_attribute("data-phase", "lobby")


def test_page_has_the_event_and_a_seat_preloaded(server: Server, open_at: OpenScreen) -> None:
    """The first vote is cast before the connection, and counted once the server has it."""
    # Such long windows store their ballots in the database, where the test reads them.
    made = server.ask("event", lobby="open", window_s=1_200)
    server.ask("begin", event_id=made["id"])
    open_at(PROJECTOR, f"/display/{made['code']}").wait_for(phase="voting")  # its gateway loads the event
    display, page = open_at(PROJECTOR).page, open_at(PHONE).page
    display.route_web_socket("**/ws/display", lambda end: None)
    display.goto(f"/display/{made['code']}")
    expect(display.locator(".dock")).to_be_visible()
    expect(display.get_by_role("timer")).to_contain_text("19:")

    said, sockets = list[str | bytes](), list[WebSocketRoute]()

    def hold(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.on_message(partial(said.append))

    page.route_web_socket("**/ws/phone", hold)
    page.goto(f"/{made['code']}")
    page.locator('[data-column="3"]').click()
    expect(page.locator("main")).to_have_attribute("data-status", "sending")
    side = page.locator("body").get_attribute("data-side")
    assert server.rows(BALLOTS, made["id"]) == []
    gateway = sockets[0].connect_to_server()
    sockets[0].on_message(partial(gateway.send))
    for frame in said:
        gateway.send(frame)
    expect(page.locator("main")).to_have_attribute("data-status", "counted")
    assert [tuple(row) for row in server.rows(BALLOTS, made["id"])] == [(side, 3)]


class FramePage(BaseHTTPRequestHandler):
    """Answers with a page that shows the address in its query string in a frame."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        address = self.path.partition("?")[2]
        page = f'<!doctype html><iframe src="{address}" width="900" height="600" allow="{ALLOW}">'
        self.wfile.write(page.encode())

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


@pytest.mark.nightly
def test_only_listed_site_shows_screen_and_phone(server: Server, open_at: OpenScreen) -> None:
    """The phone votes and keeps its seat."""
    screen = open_at(PROJECTOR)
    with ThreadingHTTPServer(("127.0.0.1", 0), FramePage) as site:
        Thread(target=site.serve_forever).start()
        port = site.server_address[1]  # the site also has the name other.localhost
        sites = f"http://localhost:{port}"
        event = server.ask("event", lobby="open", window_s=90, embed_sites=sites)
        server.ask("begin", event_id=event["id"])

        def show(host: str, path: str) -> bool:
            screen.page.goto(f"http://{host}:{port}/?{server.http}{path}")
            return screen.page.frames[-1].url != "chrome-error://chromewebdata/"

        code = event["code"]
        assert show("localhost", f"/embed/{code}")
        frame = screen.page.frame_locator("iframe")
        body = frame.locator("body")
        expect(body).to_have_attribute("data-phase", "voting")
        body.press("f")
        expect(body.locator(".sound")).to_have_attribute("data-sound", "off")
        assert show("localhost", f"/embed/{code}/phone")
        frame.locator('[data-column="3"]').click()
        counted = frame.locator('main[data-status="counted"]')
        expect(counted).to_be_attached()
        screen.page.reload()
        expect(counted).to_be_attached()
        for path in (f"/embed/{code}", f"/embed/{code}/phone"):
            assert not show("other.localhost", path)
        for path in (f"/{code}", f"/display/{code}", f"/embed/{server.ask('event')['code']}"):
            assert not show("localhost", path)
        site.shutdown()
    screen.errors.clear()

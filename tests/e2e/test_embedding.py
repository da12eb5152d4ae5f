"""A page of another site shows the big screen and the phone page in frames, if the event lists the site."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PROJECTOR, Screen
from tests.server import Server

ALLOW = "autoplay; fullscreen; screen-wake-lock"
BLOCKED = "chrome-error://chromewebdata/"


class FramePage(BaseHTTPRequestHandler):
    """Answers with a page that shows the address in its query string in a frame."""

    def do_GET(self) -> None:
        address = self.path.partition("?")[2]
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        page = f'<!doctype html><iframe src="{address}" width="900" height="600" allow="{ALLOW}">'
        self.wfile.write(page.encode())

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of another site's server. It has the names localhost and other.localhost."""
    with ThreadingHTTPServer(("127.0.0.1", 0), FramePage) as site:
        Thread(target=site.serve_forever).start()
        yield site.server_address[1]
        site.shutdown()


@pytest.fixture
def code(server: Server, port: int) -> str:
    sites = f"http://localhost:{port}"
    event: dict[str, Any] = server.ask("event", lobby="open", window_s=90, embed_sites=sites)
    server.ask("begin", event_id=event["id"])
    return str(event["code"])


def show(screen: Screen, site: str, server: Server, path: str) -> str:
    """Open the site's page with this path in a frame; return what the frame shows."""
    screen.page.goto(f"http://{site}/?{server.http}{path}")
    return screen.page.frames[-1].url


def test_listed_site_shows_screen_and_phone(
    server: Server, open_at: OpenScreen, port: int, code: str
) -> None:
    """The phone votes and keeps its seat."""
    screen = open_at(PROJECTOR)
    assert show(screen, f"localhost:{port}", server, f"/embed/{code}") != BLOCKED
    frame = screen.page.frame_locator("iframe")
    body = frame.locator("body")
    expect(body).to_have_attribute("data-phase", "voting")
    body.press("f")
    expect(body.locator(".sound")).to_have_attribute("data-sound", "off")
    show(screen, f"localhost:{port}", server, f"/embed/{code}/phone")
    frame.locator('[data-column="3"]').click()
    counted = frame.locator('main[data-status="counted"]')
    expect(counted).to_be_attached()
    screen.page.reload()
    expect(counted).to_be_attached()


def test_browser_blocks_unlisted_sites_and_all_other_pages(
    server: Server, open_at: OpenScreen, port: int, code: str
) -> None:
    screen, other = open_at(PROJECTOR), server.ask("event")["code"]
    for path in (f"/embed/{code}", f"/embed/{code}/phone"):
        assert show(screen, f"other.localhost:{port}", server, path) == BLOCKED, path
    pages = ["/", f"/{code}", f"/display/{code}", f"/stage/{code}", f"/report/{code}/1", "/console/login/"]
    for path in (*pages, "/play/", f"/embed/{other}", f"/embed/{other}/phone"):
        assert show(screen, f"localhost:{port}", server, path) == BLOCKED, path
    screen.errors.clear()

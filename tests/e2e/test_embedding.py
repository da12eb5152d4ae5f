"""A page of another site shows the big screen and the phone page in frames, if the event lists the site."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from playwright.sync_api import expect

from tests.e2e.screens import PROJECTOR, OpenScreen
from tests.server import Server

ALLOW = "autoplay; fullscreen; screen-wake-lock"


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
        pass


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
            """Whether the browser shows this path in a frame."""
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

"""Pages and static files from memory; everything else is Django's."""

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest

from crowdgame.web.static_pages import page_at, static_pages
from tests.voting.policies import hashes_of, sources
from voting.gateway.page_preload import PreloadParts

PHONE = b"<!doctype html><style>b{color:red}</style><script type=module>let a = '</p>';\n</script><p>phone"
DISPLAY = b'<!doctype html><link href="/static/app/display.css"><script src="/static/app/x.js"></script>'


class Behind:
    """Where the front door passes on what it does not know."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"behind"})


class Answered:
    def __init__(self, messages: list[dict[str, Any]]) -> None:
        start, body = messages
        self.status: int = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}
        self.body: bytes = body["body"]


class PageClient:
    def __init__(self, preload: PreloadParts | None = None) -> None:
        self.behind = Behind()
        self.asked_of: list[tuple[str, int]] = []

        def load_preload(code: str, team: int) -> PreloadParts | None:
            self.asked_of.append((code, team))
            return preload

        self._app = static_pages(self.behind, load_preload)

    def ask(
        self,
        path: str,
        method: str = "GET",
        encoding: bytes = b"",
        host: bytes = b"testserver",
        **more: bytes,
    ) -> Answered:
        """`more`: what it accepts, as the header is called, and its `query_string`."""
        said: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            said.append(message)

        headers = [(b"host", host), *([(b"accept-encoding", encoding)] if encoding else [])]
        query = more.pop("query_string", b"")
        headers += [(name.replace("_", "-").encode(), value) for name, value in more.items()]
        scope = {"type": "http", "path": path, "method": method, "headers": headers, "query_string": query}

        async def conversation() -> None:
            await self._app(scope, None, send)

        asyncio.run(conversation())
        return Answered(said)


@pytest.fixture
def files(tmp_path: Path, settings: Any) -> Path:
    """A built front end and gathered static files, and something secret beside them."""
    built, gathered = tmp_path / "dist", tmp_path / "static"
    (built / "static" / "app").mkdir(parents=True)
    (gathered / "admin").mkdir(parents=True)
    (built / "phone.html").write_bytes(PHONE)
    (built / "display.html").write_bytes(DISPLAY)
    (built / "console.html").write_bytes(b"not for the door")
    (built / "static" / "app" / "display-Ab12Cd34.css").write_bytes(b"p{}" * 500)
    (built / "static" / "app" / "font-Ab12Cd34.woff2").write_bytes(b"\x00" * 500)
    (gathered / "admin" / "base.css").write_bytes(b"b{}")
    (tmp_path / "secret_key").write_bytes(b"secret")
    settings.PAGES_DIR, settings.STATIC_ROOT = built, gathered
    return tmp_path


@pytest.fixture
def client(files: Path) -> PageClient:
    return PageClient()


@pytest.mark.parametrize("path", ["/", "/BCDF", "/bcdf", "/BCDF/", "/BCDF/1", "/BCDF/2/", "/23456789"])
def test_the_phone_page_is_at_every_code(path: str, client: PageClient) -> None:
    answer = client.ask(path)
    assert (answer.status, answer.body) == (200, PHONE)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/display/BCDF", "/display/BCDF/", "/display/whatever"])
def test_the_display_page_is_at_every_display(path: str, client: PageClient) -> None:
    assert client.ask(path).body == DISPLAY


@pytest.mark.parametrize(
    "path",
    [
        "/admin/",
        "/console/",
        "/console/BCDF",
        "/BCD",
        "/BCDFGHJKM",
        "/ABCD",
        "/BCDF/3",
        "/BCDF/1/1",
        "/display/",
        "/display/BCDF/1",
        "/phone.html",
        "/console.html",
        "/favicon.ico",
        "/static/",
        "/static/nothing.js",
        "/static/app",
        "/static/../secret_key",
        "/static/%2e%2e/secret_key",
        "/static/app/../../../secret_key",
        "/static//admin/base.css",
        "/static/admin/base.css/",
        "/static/./admin/base.css",
        "/static/admin\\base.css",
        "/static/admin/base.css\0",
        "//static/admin/base.css",
        "/../secret_key",
        "/BCDF\n",
    ],
)
def test_what_is_no_page_and_no_file_is_passed_on(path: str, client: PageClient) -> None:
    answer = client.ask(path)
    assert (answer.status, answer.body, client.behind.asked) == (404, b"behind", [path])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_page_is_only_read(method: str, client: PageClient) -> None:
    client.ask("/", method)
    assert client.behind.asked == ["/"]


@pytest.mark.parametrize("path", ["/", "/BCDF", "/display/BCDF", "/static/admin/base.css"])
def test_by_another_name_no_page_is_here(path: str, client: PageClient) -> None:
    answer = client.ask(path, host=b"elsewhere.example")
    assert (answer.status, answer.body) == (400, b"This house has another name.\n")
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_who_takes_gzip_gets_it_and_others_do_not(client: PageClient) -> None:
    plain, small = client.ask("/BCDF"), client.ask("/BCDF", encoding=b"br, gzip")
    assert gzip.decompress(small.body) == plain.body == PHONE
    assert small.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    for answer in (plain, small):
        assert answer.headers["content-length"] == str(len(answer.body))
        assert answer.headers["vary"] == "accept-encoding"


def test_a_head_tells_the_length_and_sends_nothing(client: PageClient) -> None:
    head = client.ask("/", "HEAD")
    assert (head.body, head.headers["content-length"]) == (b"", str(len(PHONE)))


def test_files_have_their_kind_and_hashed_ones_are_kept_for_ever(client: PageClient) -> None:
    style = client.ask("/static/app/display-Ab12Cd34.css", encoding=b"gzip")
    assert style.headers["content-type"] == "text/css"
    assert style.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert gzip.decompress(style.body) == b"p{}" * 500
    font = client.ask("/static/app/font-Ab12Cd34.woff2", encoding=b"gzip")
    assert "content-encoding" not in font.headers
    assert client.ask("/static/admin/base.css").headers["cache-control"] == "no-cache"


def test_without_a_built_front_end_django_answers(files: Path) -> None:
    for page in ("phone", "display"):
        (files / "dist" / f"{page}.html").unlink()
    client = PageClient()
    assert client.ask("/").body == b"behind"
    assert client.ask("/display/BCDF").body == b"behind"


def test_the_phone_page_comes_in_the_language_that_is_understood(files: Path) -> None:
    german = PHONE.replace(b"phone", b"Telefon")
    (files / "dist" / "phone.de.html").write_bytes(german)
    client = PageClient()
    assert client.ask("/BCDF", accept_language=b"fr, de;q=0.5").body == german
    assert client.ask("/BCDF", accept_language=b"fr").body == PHONE
    assert client.ask("/", accept_language=b"de", query_string=b"locale=en").body == PHONE
    assert client.ask("/phone.de.html").body == b"behind"
    for answer in (client.ask("/BCDF"), client.ask("/BCDF", accept_language=b"de")):
        assert answer.headers["vary"] == "accept-encoding, accept-language"


def test_what_the_gateway_tells_comes_with_the_page(files: Path) -> None:
    client = PageClient(PreloadParts(b'{"seq":7', b',"offer":null}'))
    plain, small = client.ask("/BCDF/2"), client.ask("/BCDF", encoding=b"gzip")
    assert (
        plain.body == PHONE + b'<script type="application/json" id="preload">{"seq":7,"offer":null}</script>'
    )
    assert gzip.decompress(small.body) == plain.body
    assert plain.headers["cache-control"] == "no-store"
    assert (
        plain.headers["content-security-policy"] == PageClient().ask("/").headers["content-security-policy"]
    )
    assert client.asked_of == [("BCDF", 2), ("BCDF", 0)]


def test_a_page_may_run_its_own_blocks_and_nothing_else(client: PageClient) -> None:
    allowed = sources(client.ask("/").headers["content-security-policy"])
    hashes = hashes_of(PHONE)
    assert allowed["default-src"] == {"'none'"}
    assert allowed["script-src"] == {"'self'"} | hashes["script"]
    assert allowed["style-src"] == {"'self'"} | hashes["style"]
    assert (len(hashes["script"]), len(hashes["style"])) == (1, 1)
    assert allowed["connect-src"] == {"'self'"}
    everything = {source for values in allowed.values() for source in values}
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & everything


def test_an_address_shows_one_page() -> None:
    assert [page_at(path) for path in ("/", "/BCDF", "/display/BCDF", "/console/")] == [
        "phone",
        "phone",
        "display",
        "",
    ]

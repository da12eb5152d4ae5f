import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.server.web.cached_pages import static_pages
from crowdgame.server.web.gzip_prefix import PrefixCompressor
from tests.monitoring.probes import ask
from tests.server import Server
from tests.voting.content_policy import hashes_of, sources
from voting.gateway.page_preload import PreloadParts

PHONE = b"<!doctype html><style>b{color:red}</style><script type=module>let a = '</p>';\n</script><p>phone"
DISPLAY = b'<!doctype html><link href="/static/app/display.css"><script src="/static/app/x.js"></script>'
PHONE_PATHS = "/ /BCDF /bcdf /BCDF/ /BCDF/1 /BCDF/2/ /23456789 /BCDFGHJKMBCDFGHJ"
DISPLAY_PATHS = "/display/BCDF /display/BCDF/ /display/whatever"
PRESS = PrefixCompressor(b"<!doctype html>" + bytes(range(256)) * 200)


@dataclass(frozen=True)
class Response:
    status: int
    headers: dict[str, str]
    body: bytes


class PageClient:
    """`embed_sites` are those of the event BCDF; `left` are the paths left to the fallback application."""

    def __init__(
        self, preload: PreloadParts | None = None, event_language: str = "", embed_sites: str = ""
    ) -> None:
        self.left: list[str] = []
        self.preload_requests: list[tuple[str, int]] = []

        async def fallback(scope: Any, receive: Any, send: Any) -> None:
            self.left.append(scope["path"])
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b"behind"})

        def load_preload(code: str, team: int) -> PreloadParts | None:
            self.preload_requests.append((code, team))
            return preload

        async def load_embed_sites(code: str) -> str:
            return embed_sites if code == "BCDF" else ""

        self._app = static_pages(
            fallback,
            load_preload,
            lambda code, scope: preload,
            lambda code: event_language,
            load_embed_sites=load_embed_sites,
        )

    def request(self, path: str, method: str = "GET", encoding: bytes = b"", **more: bytes) -> Response:
        """`more`: `query_string`, and headers by name with underscores."""
        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        query = more.pop("query_string", b"")
        more = {"host": b"testserver"} | ({"accept_encoding": encoding} if encoding else {}) | more
        headers = [(name.replace("_", "-").encode(), value) for name, value in more.items()]
        scope = {"type": "http", "path": path, "method": method, "headers": headers, "query_string": query}
        async_to_sync(self._app)(scope, None, send)
        start, body = sent
        received = {name.decode(): value.decode() for name, value in start["headers"]}
        return Response(start["status"], received, body["body"])


@pytest.fixture
def files(tmp_path: Path, settings: Any) -> Path:
    built, collected = tmp_path / "dist", tmp_path / "static"
    (built / "static" / "app").mkdir(parents=True)
    (collected / "admin").mkdir(parents=True)
    (built / "phone.html").write_bytes(PHONE)
    (built / "display.html").write_bytes(DISPLAY)
    (built / "console.html").write_bytes(b"not for the door")
    (built / "static" / "app" / "display-Ab12Cd34.css").write_bytes(b"p{}" * 500)
    (built / "static" / "app" / "font-Ab12Cd34.woff2").write_bytes(b"\x00" * 500)
    (collected / "admin" / "base.css").write_bytes(b"b{}")
    (tmp_path / "secret_key").write_bytes(b"secret")
    settings.PAGES_DIR, settings.STATIC_ROOT = built, collected
    return tmp_path


@pytest.fixture
def client(files: Path) -> PageClient:
    return PageClient()


@pytest.mark.parametrize(
    ("path", "page"),
    [*((path, PHONE) for path in PHONE_PATHS.split()), *((path, DISPLAY) for path in DISPLAY_PATHS.split())],
)
def test_page_is_served_at_its_paths(path: str, page: bytes, client: PageClient) -> None:
    response = client.request(path)
    assert (response.status, response.body) == (200, page)
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"
    head = client.request(path, "HEAD")
    assert (head.body, head.headers["content-length"]) == (b"", str(len(page)))


@pytest.mark.parametrize(
    "path",
    [
        *("/console/BCDF", "/BCD", "/BCDFGHJKMBCDFGHJK", "/ABCD", "/BCDF/3", "/BCDF/1/1", "/display/BC-DF"),
        *("/display/", "/display/BCDF/1", "/phone.html", "/console.html", "/favicon.ico", "/BCDF\n"),
        *("/static/", "/static/nothing.js", "/static/app", "/static/../secret_key", "/../secret_key"),
        *("/embed/", "/embed/BCDF/1", "/embed/BCDF/phone/1", "/embed/ABCD/phone", "/embed/BCDF\n"),
        *("/static/%2e%2e/secret_key", "/static/app/../../../secret_key", "/static//admin/base.css"),
        *("/static/admin/base.css/", "/static/admin\\base.css", "/static/admin/base.css\0"),
    ],
)
def test_unknown_path_goes_to_fallback_app(path: str, client: PageClient) -> None:
    response = client.request(path)
    assert (response.status, response.body, client.left) == (404, b"behind", [path])
    assert client.request("/", "POST").body == b"behind"


@pytest.mark.parametrize("path", ["/", "/BCDF", "/display/BCDF", "/static/admin/base.css"])
def test_foreign_host_gets_400_with_csp(path: str, client: PageClient) -> None:
    response = client.request(path, host=b"elsewhere.example")
    assert (response.status, response.body) == (400, b"Unknown host name.\n")
    assert "default-src 'none'" in response.headers["content-security-policy"]


def test_gzip_is_sent_only_if_accepted(client: PageClient) -> None:
    plain, small = client.request("/BCDF"), client.request("/BCDF", encoding=b"br, gzip")
    assert gzip.decompress(small.body) == plain.body == PHONE
    assert small.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    for response in (plain, small):
        assert response.headers["content-length"] == str(len(response.body))
        assert response.headers["vary"] == "accept-encoding"


def test_hashed_static_files_are_cached_as_immutable(client: PageClient) -> None:
    style = client.request("/static/app/display-Ab12Cd34.css", encoding=b"gzip")
    assert style.headers["content-type"] == "text/css"
    assert style.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert gzip.decompress(style.body) == b"p{}" * 500
    assert style.headers["vary"] == "accept-encoding"
    font = client.request("/static/app/font-Ab12Cd34.woff2", encoding=b"gzip")
    assert "content-encoding" not in font.headers
    assert client.request("/static/admin/base.css").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(("page", "path"), [("phone", "/"), ("display", "/display/BCDF")])
def test_page_goes_to_fallback_app_without_front_end_build(files: Path, page: str, path: str) -> None:
    (files / "dist" / f"{page}.html").unlink()
    assert PageClient().request(path).body == b"behind"


def test_phone_page_language_follows_query_and_accept_language(files: Path) -> None:
    german = PHONE.replace(b"phone", b"Telefon")
    (files / "dist" / "phone.de.html").write_bytes(german)
    client = PageClient()
    assert client.request("/BCDF", accept_language=b"it, de;q=0.5").body == german
    assert client.request("/BCDF", accept_language=b"fr").body == PHONE
    assert client.request("/", accept_language=b"de", query_string=b"locale=en").body == PHONE
    assert client.request("/phone.de.html").body == b"behind"
    for response in (client.request("/BCDF"), client.request("/BCDF", accept_language=b"de")):
        assert response.headers["vary"] == "accept-encoding, accept-language"


@pytest.mark.parametrize(
    ("event", "accept", "query", "language"),
    [
        ("de", b"fr", b"", "de"),
        ("", b"de-AT", b"", "de"),
        ("", b"fr", b"", "en"),
        ("de", b"", b"home=red&locale=en", "en"),
        ("en", b"", b"locale=de", "de"),
    ],
)
def test_display_is_translated(files: Path, event: str, accept: bytes, query: bytes, language: str) -> None:
    german = DISPLAY.replace(b"<!doctype html>", b"<!doctype html><html lang=de>")
    (files / "dist" / "display.de.html").write_bytes(german)
    client = PageClient(event_language=event)
    response = client.request("/display/BCDF", accept_language=accept, query_string=query)
    assert response.body == {"en": DISPLAY, "de": german}[language]
    assert client.request("/display.de.html").body == b"behind"


@pytest.mark.parametrize(
    ("path", "page", "teams"),
    [
        *(("/BCDF", PHONE, [0]), ("/BCDF/2", PHONE, [2]), ("/embed/BCDF/phone", PHONE, [0])),
        *(("/display/BCDF", DISPLAY, []), ("/embed/BCDF", DISPLAY, [])),
    ],
)
def test_page_embeds_preload_of_its_team_under_known_host_only(
    files: Path, path: str, page: bytes, teams: list[int]
) -> None:
    sites = "https://a.example"
    client = PageClient(PreloadParts(b'{"seq":7', b',"offer":null}'), embed_sites=sites)
    plain, small = client.request(path), client.request(path, encoding=b"gzip")
    preload = b'<script type="application/json" id="preload">{"seq":7,"offer":null}</script>'
    assert gzip.decompress(small.body) == plain.body == page + preload
    assert plain.headers["cache-control"] == "no-store"
    without, policy = PageClient(embed_sites=sites).request(path), "content-security-policy"
    assert plain.headers[policy] == without.headers[policy]
    assert client.request(path, host=b"elsewhere.example").status == 400
    assert {*client.preload_requests} == {("BCDF", team) for team in teams}


def test_csp_allows_only_own_inline_blocks(client: PageClient) -> None:
    allowed = sources(client.request("/").headers["content-security-policy"])
    hashes = hashes_of(PHONE)
    assert allowed["default-src"] == {"'none'"}
    assert allowed["script-src"] == {"'self'"} | hashes["script"]
    assert allowed["style-src"] == {"'self'"} | hashes["style"]
    assert (len(hashes["script"]), len(hashes["style"])) == (1, 1)
    assert allowed["connect-src"] == {"'self'"}
    everything = {source for values in allowed.values() for source in values}
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & everything


@given(st.binary(max_size=5_000), st.binary(max_size=0xFFFF))
def test_gzip_prefix_and_rest_decompress_to_input(state: bytes, rest: bytes) -> None:
    prefix = PRESS.extend(state)
    assert gzip.decompress(prefix.complete(rest)) == prefix.plain + rest


def test_state_similar_to_page_compresses_well() -> None:
    page = b"".join(b"const name%d = state.turn.closes_at;" % n for n in range(500))
    press = PrefixCompressor(page)
    alone = len(press.extend(b"").gzipped)
    assert len(press.extend(page[:2_000]).gzipped) < alone + 100


def framing(client: PageClient, path: str) -> tuple[set[str], str | None]:
    headers = client.request(path).headers
    return sources(headers["content-security-policy"])["frame-ancestors"], headers.get("x-frame-options")


@pytest.mark.parametrize(("path", "page"), [("/embed/BCDF", DISPLAY), ("/embed/BCDF/phone", PHONE)])
def test_only_listed_sites_may_frame_embedded_pages(files: Path, path: str, page: bytes) -> None:
    client = PageClient(embed_sites="https://a.example https://b.example")
    assert client.request(path).body == page
    assert framing(client, path) == ({"https://a.example", "https://b.example"}, None)
    assert framing(client, path.replace("BCDF", "BCDG")) == ({"'none'"}, "DENY")
    assert framing(PageClient(), path) == ({"'none'"}, "DENY")
    policy = sources(client.request(path).headers["content-security-policy"])
    assert policy["script-src"] == {"'self'"} | hashes_of(page)["script"]
    for other in ("/", "/BCDF", "/BCDF/1", "/display/BCDF"):
        assert framing(client, other) == ({"'self'"}, "SAMEORIGIN")


@pytest.mark.parametrize("path", ["/BCDF", "/display/BCDF"])
def test_built_page_obeys_its_content_policy_and_is_compressed(path: str, server: Server) -> None:
    page, zipped = ask(server, path), ask(server, path, {"Accept-Encoding": "gzip"})
    assert (gzip.decompress(zipped.body), zipped.headers["Content-Encoding"]) == (page.body, "gzip")
    allowed, hashes = sources(page.headers["Content-Security-Policy"]), hashes_of(page.body)
    assert allowed["script-src"] == {"'self'"} | hashes["script"]
    assert allowed["style-src"] == {"'self'"} | hashes["style"]
    markup = re.sub(rb"(?s)<(script|style)\b.*?</\1>", b"", page.body)
    assert not re.search(rb"""<[^>]+\sstyle=|<[^>]+\son[a-z]+=""", markup)
    if path == "/BCDF":  # phones load no other resource
        assert re.findall(rb'(?:src|href)="(?!data:)[^"]*"', markup) == []
        assert not re.search(rb"<script[^>]*\ssrc=", page.body)
    assert ask(server, "/static/%2e%2e/%2e%2e/etc/passwd").status == 404

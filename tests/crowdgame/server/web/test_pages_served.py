import gzip
import re

import pytest

from tests.monitoring.probes import ask
from tests.server import Server
from tests.voting.content_policy import hashes_of, sources


@pytest.mark.parametrize("path", ["/", "/BCDF", "/display/BCDF"])
def test_running_server_serves_pages_with_csp_and_gzip(path: str, server: Server) -> None:
    page, zipped, head = (
        ask(server, path),
        ask(server, path, {"Accept-Encoding": "gzip"}),
        ask(server, path, method="HEAD"),
    )
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert (gzip.decompress(zipped.body), zipped.headers["Content-Encoding"]) == (page.body, "gzip")
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", str(len(page.body)))
    allowed, hashes = sources(page.headers["Content-Security-Policy"]), hashes_of(page.body)
    assert allowed["script-src"] == {"'self'"} | hashes["script"]
    assert allowed["style-src"] == {"'self'"} | hashes["style"]
    markup = re.sub(rb"(?s)<script.*?</script>", b"", page.body)
    assert not re.search(rb"""<[^>]+\sstyle=|<[^>]+\son[a-z]+=""", markup)


def test_phone_page_loads_no_other_resource(server: Server) -> None:
    body = ask(server, "/").body
    outside = re.sub(rb"(?s)<(script|style)\b[^>]*>.*?</\1>", b"", body)
    assert re.findall(rb'(?:src|href)="(?!data:)[^"]*"', outside) == []
    assert not re.search(rb"<script[^>]*\ssrc=", body)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing/here", 404),
        ("/static/../crowdgame/settings.py", 404),
        ("/static/%2e%2e/%2e%2e/etc/passwd", 404),
        ("/static/..%2fsettings.py", 404),
        ("/admin/", 302),
    ],
)
def test_unknown_path_is_left_to_django(path: str, status: int, server: Server) -> None:
    since = len(server.log("gateway"))
    reply = ask(server, path)
    assert (reply.status, b"SECRET_KEY" in reply.body) == (status, False)
    assert server.log_errors("gateway", since) == []

"""A running server serves its pages over HTTP, under each ASGI server."""

import gzip
import http.client
import re
from typing import Any

import pytest

from tests.server import Server
from tests.voting.content_policy import hashes_of, sources


def fetch(server: Server, path: str, method: str = "GET", **headers: str) -> tuple[int, Any, bytes]:
    connection = http.client.HTTPConnection(server.stack.address, server.stack.port, timeout=20)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers, body


@pytest.mark.parametrize("path", ["/", "/BCDF", "/display/BCDF"])
def test_running_server_serves_pages_with_csp_and_gzip(path: str, server: Server) -> None:
    status, headers, body = fetch(server, path)
    _, zipped_headers, zipped = fetch(server, path, **{"Accept-Encoding": "gzip"})
    head = fetch(server, path, "HEAD")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert gzip.decompress(zipped) == body
    assert zipped_headers["Content-Encoding"] == "gzip"
    assert (head[0], head[2], head[1]["Content-Length"]) == (200, b"", str(len(body)))
    allowed = sources(headers["Content-Security-Policy"])
    hashes = hashes_of(body)
    assert allowed["script-src"] == {"'self'"} | hashes["script"]
    assert allowed["style-src"] == {"'self'"} | hashes["style"]
    assert not re.search(
        rb"""<[^>]+\sstyle=|<[^>]+\son[a-z]+=""", re.sub(rb"(?s)<script.*?</script>", b"", body)
    )


def test_phone_page_loads_no_other_resource(server: Server) -> None:
    _, _, body = fetch(server, "/")
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
    response = fetch(server, path)
    assert response[0] == status
    assert b"SECRET_KEY" not in response[2]
    assert server.log_errors("gateway", since) == []

"""Fast path for WebSocket handshakes: parses the usual form in one pass.

Both servers parse a handshake, serialize it again and have a library parse it once more. That is the
bottleneck when all phones of an event reconnect at once. Any unusual request is left to the server, with all
bytes read so far, so that the server produces its own errors.
"""

import re
from typing import Any

import httptools

from crowdgame.serving.request_limits import MAX_HEAD_BYTES

HEAD_END = b"\r\n\r\n"
UPGRADE_LINE = re.compile(rb"^upgrade: *websocket\r$", re.IGNORECASE | re.MULTILINE)
KEY = re.compile(rb"[A-Za-z0-9+/]{22}==")
VERSION = 13
HOST_PATTERN = rb"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?"
HOST = re.compile(HOST_PATTERN)
ORIGIN = re.compile(rb"null|[A-Za-z][A-Za-z0-9+.-]*://" + HOST_PATTERN)
UNSUPPORTED_HEADERS = {b"sec-websocket-protocol", b"content-length", b"transfer-encoding"}


class RequestHead:
    """Collects a request's head from httptools callbacks. Header names are in lower case."""

    def __init__(self) -> None:
        self.address = b""
        self.header_list: list[tuple[bytes, bytes]] = []
        self.headers: dict[bytes, bytes] = {}
        self.requests = 0

    def on_message_begin(self) -> None:
        self.requests += 1

    def on_url(self, address: bytes) -> None:
        self.address += address

    def on_header(self, name: bytes, value: bytes) -> None:
        self.header_list.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.headers = dict(self.header_list)

    @property
    def key(self) -> bytes:
        return self.headers.get(b"sec-websocket-key", b"")

    def is_simple(self, parser: Any) -> bool:
        """Whether the request is a handshake that both libraries would accept."""
        headers = self.headers
        return (
            self.requests == 1
            and parser.get_method() == b"GET"
            and parser.get_http_version() == "1.1"
            and self.address.startswith(b"/")
            and self.address.isascii()
            and len(headers) == len(self.header_list)
            and HOST.fullmatch(headers.get(b"host", b"")) is not None
            and ORIGIN.fullmatch(headers.get(b"origin", b"null")) is not None
            and headers.get(b"sec-websocket-version") == b"%d" % VERSION
            and KEY.fullmatch(self.key) is not None
            and not UNSUPPORTED_HEADERS & headers.keys()
        )


def read_handshake(data: bytes) -> tuple[RequestHead, bytes] | None:
    """Return a usual handshake and the bytes that follow it, or None for any other data.

    Searches only the head: for a regular expression, a quarter of a megabyte of a body takes 20 ms.
    """
    head_size = data.find(HEAD_END, 0, MAX_HEAD_BYTES)
    if head_size < 0 or not UPGRADE_LINE.search(data, 0, head_size + len(HEAD_END)):
        return None
    head = RequestHead()
    parser = httptools.HttpRequestParser(head)
    try:
        parser.feed_data(data)
    except httptools.HttpParserUpgrade as upgrade:
        return (head, data[upgrade.args[0] :]) if head.is_simple(parser) else None
    except httptools.HttpParserError:
        return None
    return None

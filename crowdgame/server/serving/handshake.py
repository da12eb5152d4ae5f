"""WebSocket handshakes: checks a request head and builds the responses."""

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha1
from typing import Any
from urllib.parse import unquote

from crowdgame.server.serving.request_limits import response

ACCEPTED = (
    b"HTTP/1.1 101 Switching Protocols\r\n"
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %b\r\n"
)
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
KEY = re.compile(rb"[A-Za-z0-9+/]{22}==")
VERSION = b"13"
HOST_PATTERN = rb"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?"
HOST = re.compile(HOST_PATTERN)
ORIGIN = re.compile(rb"null|[A-Za-z][A-Za-z0-9+.-]*://" + HOST_PATTERN)
UNIQUE_HEADERS = (b"host", b"origin", b"sec-websocket-key", b"sec-websocket-version")

INVALID_RESPONSE = response(b"400 Bad Request", b"This is not a valid WebSocket handshake.\n")
VERSION_RESPONSE = response(
    b"426 Upgrade Required", b"Only version 13 is supported.\n", b"Sec-WebSocket-Version: 13\r\n"
)
FORBIDDEN_RESPONSE = response(b"403 Forbidden", b"Access denied.\n")
FAILED_RESPONSE = response(b"500 Internal Server Error", b"The server failed.\n")

Address = tuple[str, int]
HeaderList = list[tuple[bytes, bytes]]


def refuse_handshake(
    method: bytes, version: str, target: bytes, header_list: HeaderList, headers: dict[bytes, bytes]
) -> bytes | None:
    """Return the response to an invalid handshake, None for a valid one."""
    if len(headers) < len(header_list):
        names = [name for name, _ in header_list]
        if any(names.count(name) > 1 for name in UNIQUE_HEADERS):
            return INVALID_RESPONSE
    if headers.get(b"sec-websocket-version") != VERSION:
        return VERSION_RESPONSE
    is_valid = (
        method == b"GET"
        and version == "1.1"
        and target.startswith(b"/")
        and target.isascii()
        and headers.get(b"content-length", b"0") == b"0"
        and b"transfer-encoding" not in headers
        and HOST.fullmatch(headers.get(b"host", b"")) is not None
        and ORIGIN.fullmatch(headers.get(b"origin", b"null")) is not None
        and KEY.fullmatch(headers.get(b"sec-websocket-key", b"")) is not None
    )
    return None if is_valid else INVALID_RESPONSE


def build_scope(
    target: bytes, header_list: HeaderList, client: Address, server: tuple[Any, ...]
) -> dict[str, Any]:
    """The ASGI scope of a valid handshake."""
    path, _, query = target.partition(b"?")
    subprotocols = dict(header_list).get(b"sec-websocket-protocol", b"")
    return {
        "type": "websocket",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "ws",
        "server": server[:2],
        "client": client,
        "root_path": "",
        "path": unquote(path.decode()),
        "raw_path": path,
        "query_string": query,
        "headers": header_list,
        "subprotocols": [name.strip() for name in subprotocols.decode("latin-1").split(",") if name],
    }


def accept_response(key: bytes, subprotocol: str | None, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    fields = [b"%b: %b\r\n" % field for field in headers]
    if subprotocol:
        fields.append(b"Sec-WebSocket-Protocol: %b\r\n" % subprotocol.encode())
    token = b64encode(sha1(key + GUID, usedforsecurity=False).digest())
    return b"".join([ACCEPTED % token, *fields, b"\r\n"])

"""Client address and scheme behind reverse proxies, from the headers that the proxies write.

A client can write these headers itself. Each proxy either overwrites X-Forwarded-For or appends the address
that it sees, so behind one proxy only the last address is trustworthy, behind two the last but one.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

FORWARDED_FOR, FORWARDED_PROTO = b"x-forwarded-for", b"x-forwarded-proto"
WITH_PORT = re.compile(r"\[([^\]]+)\](?::\d+)?|([^:]+):\d+")
SCHEMES = {"http": "ws", "https": "wss"}

Headers = Iterable[tuple[bytes, bytes]]


class ProxyHeaders:
    """ASGI middleware that sets the client and scheme of each request behind `proxies` reverse proxies."""

    def __init__(self, application: Any, proxies: int) -> None:
        self._application = application
        self._proxies = proxies

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        peer = (scope["client"] or [""])[0]
        scope["client"] = (client_address(peer, scope["headers"], self._proxies), 0)
        scheme = _forwarded(scope["headers"], FORWARDED_PROTO, self._proxies)
        if scheme in SCHEMES:
            scope["scheme"] = SCHEMES[scheme] if scope["type"] == "websocket" else scheme
        await self._application(scope, receive, send)


def client_address(peer: str, headers: Headers, proxies: int) -> str:
    """Return the IP address of the client. It is `peer` without proxies, or if the proxy wrote no address.

    Header names are in lower case.
    """
    if not proxies:
        return peer
    value = _forwarded(headers, FORWARDED_FOR, proxies)
    found = WITH_PORT.fullmatch(value)
    with suppress(ValueError):
        return str(ip_address(found[1] or found[2] if found else value))
    return peer


def _forwarded(headers: Headers, name: bytes, proxies: int) -> str:
    """Return the value that the outermost of the proxies wrote."""
    values = b",".join(value for header, value in headers if header == name).decode("latin-1").split(",")
    return values[-min(proxies, len(values))].strip()

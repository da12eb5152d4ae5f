"""Send a request to a URL that a user gave, but never to an address that isn't allowed (SSRF).

A host is resolved once. Every address must be public, and the connection goes to one that was checked.
"""

import asyncio
import re
import socket
import ssl
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

MAX_URL_LENGTH = 500
TIMEOUT_S = 10.0
MAX_ANSWER_BYTES = 8 * 1024
HTTPS_PORT, FIRST_UNRESERVED_PORT = 443, 1024
ADDRESS_NOT_ALLOWED = "address not allowed"
GLOBAL_UNICAST, NAT64 = IPv6Network("2000::/3"), IPv6Network("64:ff9b::/96")
PRINTABLE = re.compile(rf"[!-~]{{1,{MAX_URL_LENGTH}}}")
STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})\b")
LOOKUPS = ThreadPoolExecutor(8, "outgoing-lookup")  # at its end, an event loop waits for its own threads


class RefusedAddress(Exception):
    """The server may not call this URL."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a request: the status of the answer, or 0 with the reason why there is none."""

    status: int
    reason: str
    duration_ms: int


def check_url(url: str) -> SplitResult:
    """Return the parts of a URL that the server may call. Raises RefusedAddress."""
    try:
        parts = urlsplit(url)
        port = _port(parts)
    except ValueError as error:
        raise RefusedAddress from error
    schemes = {"https", "http"} if _allows_private() else {"https"}
    is_open = port == HTTPS_PORT or port >= FIRST_UNRESERVED_PORT
    if not (PRINTABLE.fullmatch(url) and parts.scheme in schemes and parts.hostname and is_open):
        raise RefusedAddress
    if "@" in parts.netloc:
        raise RefusedAddress
    return parts


def _port(parts: SplitResult) -> int:
    return parts.port or {"http": 80}.get(parts.scheme, HTTPS_PORT)


def _allows_private() -> bool:
    return settings.WEBHOOKS == "private"


def is_public(text: str) -> bool:
    """Whether an IP address is on the public Internet. One that contains an IPv4 address counts as that."""
    address = ip_address(text)
    if not isinstance(address, IPv4Address):
        if address in NAT64:
            return is_public(str(IPv4Address(int(address) & 0xFFFF_FFFF)))
        if address.ipv4_mapped:
            return is_public(str(address.ipv4_mapped))
        if address not in GLOBAL_UNICAST or address.sixtofour:
            return False
    return address.is_global and not address.is_multicast


async def post(url: str, headers: Mapping[str, str], body: bytes) -> Attempt:
    """Send a request. Takes at most TIMEOUT_S; follows no redirect."""
    started, status, reason = time.monotonic(), 0, ""
    try:
        status = await _post(check_url(url), headers, body)
    except RefusedAddress:
        reason = ADDRESS_NOT_ALLOWED
    except TimeoutError:
        reason = "timeout"
    except ssl.SSLError:
        reason = "TLS error"
    except (EOFError, asyncio.LimitOverrunError):
        reason = "unreadable answer"
    except (OSError, ValueError):
        reason = "no connection"
    return Attempt(status, reason, round((time.monotonic() - started) * 1000))


async def _post(url: SplitResult, headers: Mapping[str, str], body: bytes) -> int:
    """Return the status of the answer. Reads no more than the answer's head."""
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    common = {
        "host": url.netloc,
        "user-agent": "crowdgame",
        "connection": "close",
        "content-length": str(len(body)),
    }
    fields = [f"{name}: {value}" for name, value in {**common, **headers}.items()]
    tls, name = (_tls(), url.hostname) if url.scheme == "https" else (None, None)
    async with asyncio.timeout(TIMEOUT_S):
        address = await _resolve(url)
        reader, writer = await asyncio.open_connection(
            address, _port(url), ssl=tls, server_hostname=name, limit=MAX_ANSWER_BYTES
        )
        try:
            writer.write("\r\n".join([f"POST {path} HTTP/1.1", *fields, "", ""]).encode() + body)
            head = await reader.readuntil(b"\r\n\r\n")
        finally:
            writer.transport.abort()
    status = STATUS_LINE.match(head)
    if status is None:
        raise EOFError
    return int(status[1])


async def _resolve(url: SplitResult) -> str:
    """Return an IP address of the host. Raises RefusedAddress, or OSError or ValueError if it has none."""
    lookup = asyncio.get_running_loop().run_in_executor(
        LOOKUPS, socket.getaddrinfo, url.hostname, _port(url), 0, socket.SOCK_STREAM
    )
    found = [str(row[4][0]) for row in await lookup]
    if not _allows_private() and not all(map(is_public, found)):
        raise RefusedAddress
    if url.scheme == "http" and not all(ip_address(one).is_loopback for one in found):
        raise RefusedAddress
    return found[0]


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()

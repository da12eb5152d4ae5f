"""The address of the server under rehearsal, and the limit on concurrent connection attempts."""

import asyncio
import socket
import ssl
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any
from urllib.parse import urlsplit

MAX_CONCURRENT_DIALS = 1_000
IP_BIND_ADDRESS_NO_PORT = 24  # of linux/in.h
DEFAULT_PORTS = {"ws": 80, "wss": 443}


class DialSlots:
    """A semaphore for connection attempts, with a FIFO queue of callbacks."""

    def __init__(self) -> None:
        self._free = MAX_CONCURRENT_DIALS
        self._waiting: deque[Callable[[], None]] = deque()

    def acquire(self, begin: Callable[[], None]) -> None:
        """Call `begin` at once or when a slot is free."""
        if self._free:
            self._free -= 1
            begin()
        else:
            self._waiting.append(begin)

    def release(self) -> None:
        if self._waiting:
            self._waiting.popleft()()
        else:
            self._free += 1


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The server's address.

    `url` is as given; `dial_url` has an IP address for the name; `options` go to picows. `source` are
    the local addresses to connect from in turn, separated by commas; "" leaves it to the system.

    `dial_slots` limits concurrent dials. Real phones have a processor each, these share one. Without the
    limit, the crowd would measure its own queue and not the server's.
    """

    url: str
    source: str = ""
    dial_url: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    dial_slots: DialSlots = field(default_factory=DialSlots)


def _bound_socket(source: str) -> socket.socket:
    """Return a socket that will connect from this address.

    Linux chooses its port only when it connects, by the server's address, too. Choosing it before means a
    search through all ports in use for each of thousands of sockets.
    """
    bound = socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET)
    bound.setblocking(False)
    if sys.platform == "linux":
        bound.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    bound.bind((source, 0))
    return bound


async def resolve(address: ServerAddress) -> ServerAddress:
    """Resolve the host name once for all phones. Raises OSError if the lookup fails."""
    parts = urlsplit(address.url)
    name, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    number = str(found[0][4][0])
    netloc = f"[{number}]:{port}" if ":" in number else f"{number}:{port}"
    options: dict[str, Any] = {"extra_headers": {"Host": parts.netloc}}
    if parts.scheme == "wss":
        options |= {"ssl_context": ssl.create_default_context(), "server_hostname": name}
    if address.source:
        sources = cycle(address.source.split(","))
        options["socket_factory"] = lambda _: _bound_socket(next(sources))
    return replace(address, dial_url=parts._replace(netloc=netloc).geturl(), options=options)

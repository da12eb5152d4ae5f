"""Where the phones of a crowd call."""

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

CALLS_AT_ONCE = 1_000
PORTS = {"ws": 80, "wss": 443}


class Lines:
    """Calls under way, and those that wait until there is room for them, in order."""

    def __init__(self) -> None:
        self._free = CALLS_AT_ONCE
        self._waiting: deque[Callable[[], None]] = deque()

    def take(self, begin: Callable[[], None]) -> None:
        if self._free:
            self._free -= 1
            begin()
        else:
            self._waiting.append(begin)

    def give_back(self) -> None:
        if self._waiting:
            self._waiting.popleft()()
        else:
            self._free += 1


@dataclass(frozen=True, slots=True)
class Address:
    """`url` as it is known; `call` the same with a number for the name; `options` of the call.

    `lines` bounds how many call at once: phones have a processor each, these share one, and if all of them
    begin before the first goes on, it is their own queue that is measured and not the server's.
    """

    url: str
    call: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    lines: Lines = field(default_factory=Lines)


async def look_up(address: Address) -> Address:
    """Once for all phones. Raises OSError where there is no such name."""
    parts = urlsplit(address.url)
    name, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    number = str(found[0][4][0])
    netloc = f"[{number}]:{port}" if ":" in number else f"{number}:{port}"
    options: dict[str, Any] = {"extra_headers": {"Host": parts.netloc}}
    if parts.scheme == "wss":
        options |= {"ssl_context": ssl.create_default_context(), "server_hostname": name}
    return Address(address.url, parts._replace(netloc=netloc).geturl(), options)

"""A connection to Twitch chat, or to another IRC server: anonymous, and read only.

https://dev.twitch.tv/docs/chat/irc/ describes the protocol and its limits.
"""

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable, Set
from typing import NamedTuple

from voting.sources.chat_lines import Line, parse_line

log = logging.getLogger(__name__)

MAX_LINE_BYTES = 16 * 1024  # Twitch sends up to 8191 bytes of tags
CONNECT_TIMEOUT_S = 10.0
SILENCE_S = 60.0  # then the server is asked for a sign of life
MAX_JOINS, JOINS_PER_S = 20, 10.0
MAX_DELAY_S = 60.0
HELLO = "CAP REQ :twitch.tv/tags twitch.tv/commands\r\nNICK {nick}\r\nUSER {nick} 0 * :{nick}\r\nCAP END\r\n"
WELCOME = "001"
ENDINGS = frozenset(
    {"RECONNECT", "ERROR", "432", "433", "436", "465"}
)  # also: the name is refused, or banned


class ChatServer(NamedTuple):
    """The address of an IRC server."""

    host: str
    port: int
    tls: bool


class ChatConnection:
    """Passes each line of the wanted channels to `receive`. Reconnects until it is cancelled."""

    def __init__(self, server: ChatServer, receive: Callable[[Line], None]) -> None:
        self._server = server
        self._receive = receive
        self._wanted: Set[str] = frozenset()
        self._joined: set[str] = set()
        self._joined_at: deque[float] = deque(maxlen=MAX_JOINS)
        self._writer: asyncio.StreamWriter | None = None  # while joining is possible
        self._failures = 0

    def want(self, channels: Set[str]) -> None:
        """Join these channels and leave others, within Twitch's rate limit. Call it again for the rest."""
        self._wanted = channels
        if self._writer is None:
            return
        for channel in self._joined - channels:
            self._writer.write(f"PART #{channel}\r\n".encode())
            self._joined.discard(channel)
        for channel in sorted(channels - self._joined):
            now = time.monotonic()
            if len(self._joined_at) == MAX_JOINS and now - self._joined_at[0] < JOINS_PER_S:
                return
            self._joined_at.append(now)
            self._joined.add(channel)
            self._writer.write(f"JOIN #{channel}\r\n".encode())

    async def run(self) -> None:
        while True:
            try:
                await self._stay_connected()
            except (OSError, ValueError) as failure:  # ValueError: a line is too long
                log.warning("chat server %s: %s", self._server.host, failure or type(failure).__name__)
            jitter = 0.5 + secrets.randbelow(500) / 1000
            await asyncio.sleep(jitter * min(MAX_DELAY_S, 2.0**self._failures))
            self._failures = min(self._failures + 1, 10)

    async def _stay_connected(self) -> None:
        """Read until the server ends the connection or asks to reconnect. Raises OSError and ValueError."""
        host, port, tls = self._server
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(host, port, ssl=tls or None, limit=MAX_LINE_BYTES)
        try:
            nick = f"justinfan{secrets.randbelow(10**6)}"
            writer.write(HELLO.format(nick=nick).encode())
            while (raw := await self._read_line(reader, writer)) and self._handle(raw, writer):
                pass
        finally:
            self._writer = None
            self._joined.clear()
            writer.close()

    @staticmethod
    async def _read_line(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        """Return the next line, or nothing after the last one. Raises TimeoutError if the server is dead."""
        try:
            async with asyncio.timeout(SILENCE_S):
                return await reader.readline()
        except TimeoutError:
            writer.write(b"PING :crowdgame\r\n")
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            return await reader.readline()

    def _handle(self, raw: bytes, writer: asyncio.StreamWriter) -> bool:
        """Handle a line. Returns whether to stay connected."""
        line = parse_line(raw)
        if line is None:
            return True
        if line.command == "PING":
            writer.write(f"PONG {line.rest}\r\n".encode())
        elif line.command == WELCOME:
            log.info("connected to chat server %s", self._server.host)
            self._writer, self._failures = writer, 0
            self.want(self._wanted)
        else:
            self._receive(line)
        if line.command in ENDINGS:
            log.warning("chat server %s: %s %s", self._server.host, line.command, line.rest)
        return line.command not in ENDINGS

"""Many concurrent connections, each sending some invalid data, like a crowd of broken browsers."""

import asyncio
import struct
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from crowdgame.server.laptop.network import LOOPBACK
from tests.fuzz import messages
from tests.fuzz.messages import Known, corrupt, frame, valid

CONNECTIONS = 32
FRAMES_PER_SOCKET = 28  # below the rate limit of a socket; a flood exceeds it
FLOOD = 150
TIMEOUT_S = 3.0
CLOSED = b"\x88\x02"  # a close frame with a code and no reason


@dataclass
class Attack:
    """`console`: headers of an organizer of `sandbox`, a separate event without voters."""

    port: int
    target: Known
    sandbox: Known
    console: tuple[str, ...]
    seed: int
    sent: int = 0
    sockets: int = 0
    ended: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._rng = Random(self.seed)

    async def run(self, frames: int, may_end: Callable[[], bool] = lambda: True) -> None:
        """Send at least `frames` frames, and go on until `may_end`. No connection is left open."""
        until = self.sent + frames
        async with asyncio.TaskGroup() as attackers:
            for _ in range(CONNECTIONS):
                rng = Random(self._rng.random())
                attackers.create_task(self._attack(rng, lambda: self.sent >= until and may_end()))

    async def _attack(self, rng: Random, is_over: Callable[[], bool]) -> None:
        while not is_over():
            self.sockets += 1
            try:
                async with asyncio.timeout(TIMEOUT_S * 4):
                    self.ended[await self._connect(rng)] += 1
            except (OSError, asyncio.IncompleteReadError) as end:
                self.ended[type(end).__name__] += 1

    async def _connect(self, rng: Random) -> str:
        reader, writer = await asyncio.open_connection(LOOPBACK, self.port)
        try:
            if rng.random() < 0.06:
                return await self._send_odd_handshake(reader, writer, rng)
            return await self._send_frames(reader, writer, rng)
        finally:
            writer.transport.abort()

    async def _send_odd_handshake(self, reader: StreamReader, writer: StreamWriter, rng: Random) -> str:
        writer.write(messages.odd_head(self.port, rng))
        self.sent += 1
        if rng.random() < 0.3:
            return "half a handshake"
        try:
            async with asyncio.timeout(0.2):
                return "odd handshake: " + (await reader.readuntil(b"\r\n"))[:12].decode("latin-1")
        except (TimeoutError, asyncio.IncompleteReadError) as end:
            return f"odd handshake: {type(end).__name__}"

    async def _send_frames(self, reader: StreamReader, writer: StreamWriter, rng: Random) -> str:
        path = rng.choice(messages.SOCKETS)
        known, more = (self.sandbox, self.console) if path.endswith("console") else (self.target, ())
        writer.write(messages.handshake(path, self.port, *more))
        answer = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in answer:
            return answer[:12].decode("latin-1")
        frames = self._frames(path, known, rng)
        self.sent += len(frames)
        data = b"".join(frames)
        if rng.random() < 0.1:
            await _write_in_chunks(writer, data, rng)
        else:
            writer.write(data)
        if rng.random() < 0.1:
            return "left without closing"
        return await _closing(reader)

    def _frames(self, path: str, known: Known, rng: Random) -> list[bytes]:
        kind = path.removeprefix("/ws/")
        token = f', "token": "{rng.choice(known.tokens)}"' if kind == "phone" else ""
        join = f'{{"type": "{kind}.join", "code": "{known.code}"{token}}}'
        frames = [frame(join.encode(), rng)] if rng.random() < 0.8 else []
        for _ in range(FLOOD if rng.random() < 0.03 else FRAMES_PER_SOCKET):
            frames += messages.harmless(corrupt(valid(known, rng), rng), rng)
        if rng.random() < 0.5:
            frames.append(rng.choice(messages.FATAL)(corrupt(valid(known, rng), rng), rng))
        return [*frames, messages.close_frame(rng)]


async def _write_in_chunks(writer: StreamWriter, data: bytes, rng: Random) -> None:
    while data and not writer.transport.is_closing():
        size = rng.choice((1, 2, 3, 50, 1_000))
        writer.write(data[:size])
        data = data[size:]
        await asyncio.sleep(0)


async def _closing(reader: StreamReader) -> str:
    """The server's close code, from the last bytes it sends."""
    last = b""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            while last[-4:-2] != CLOSED and (more := await reader.read(65_536)):
                last = (last + more)[-127:]
    except TimeoutError:
        return "left open"
    at = last.rfind(b"\x88")
    return f"closed {struct.unpack('!H', last[at + 2 : at + 4])[0]}" if 0 <= at <= len(last) - 4 else "closed"

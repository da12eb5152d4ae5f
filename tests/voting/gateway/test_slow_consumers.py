"""The connection of a slow consumer, on the code that both servers share: it delays nobody and is cut off."""

import asyncio
import socket
from typing import Any

import pytest

from crowdgame.server.serving import websocket
from crowdgame.server.serving.frames import CLOSE, control_frame
from crowdgame.server.serving.websocket import MAX_FRAMES_BEHIND, WebSocket
from tests.voting.gateway_helpers import until
from voting.gateway.connections import CONNECTION
from voting.gateway.text_frames import text_frame
from voting.protocol import CloseCode

LONG = text_frame(b"x" * 16_000)


class Handler:
    overflows = disconnects = 0

    def handle_message(self, text: bytes | None) -> None: ...

    def handle_disconnect(self) -> None:
        self.disconnects += 1

    def handle_overflow(self) -> None:
        self.overflows += 1


async def connect(handler: Handler) -> tuple[WebSocket, socket.socket]:
    """A connection that the handler is attached to, and the client's end of it."""
    own, client = socket.socketpair()
    transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=own)
    connection, attached = WebSocket(transport, b"key", set()), asyncio.Event()
    transport.set_protocol(connection)

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        scope["extensions"][CONNECTION].attach(handler)
        attached.set()

    connection.begin(application, {}, b"")
    await attached.wait()
    return connection, client


async def test_slow_consumer_delays_nobody_and_is_dropped() -> None:
    handler, other = Handler(), Handler()
    (slow, client), (quick, reader) = await connect(handler), await connect(other)
    with client, reader:
        reader.recv(1_000)
        for _ in range(10 * MAX_FRAMES_BEHIND):
            slow.write(LONG)
            quick.write(text_frame(b"echo"))
            assert reader.recv(1_000) == text_frame(b"echo")
        assert (handler.overflows, other.overflows) == (1, 0)
        async with asyncio.timeout(10):
            await until(lambda: handler.disconnects)
    assert (handler.overflows, handler.disconnects) == (1, 1)


async def test_close_follows_what_was_written_and_nothing_follows_a_close() -> None:
    connection, client = await connect(Handler())
    with client:
        connection.write(text_frame(b"bye"))
        connection.close(CloseCode.RESTARTING)
        connection.write(text_frame(b"too late"))
        received = client.recv(1_000).partition(b"\r\n\r\n")[2]
    assert received == text_frame(b"bye") + control_frame(CLOSE, CloseCode.RESTARTING.to_bytes(2, "big"))


async def test_consumer_that_stays_behind_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_BEHIND_S", 0.05)
    handler = Handler()
    connection, client = await connect(handler)
    with client:
        for _ in range(MAX_FRAMES_BEHIND // 2):
            connection.write(LONG)
        async with asyncio.timeout(20):
            await until(lambda: handler.disconnects)
    assert handler.overflows == 1

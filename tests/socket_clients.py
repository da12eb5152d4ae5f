"""WebSocket clients for tests: phone, display and console, frame by frame."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Self

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.server import Server

TIMEOUT_S = 15
Message = dict[str, Any]


class SocketClient:
    """A connected client. `received`: all messages so far; `frames`: the same as raw text."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.received: list[Message] = []
        self.frames: list[str] = []
        self._read = 0

    def say(self, kind: str, **fields: Any) -> Self:
        return self.send(json.dumps({"type": kind, **fields}))

    def send(self, frame: str | bytes) -> Self:
        self.socket.send(frame)
        return self

    def receive(self, kind: str, **fields: Any) -> Message:
        """Wait for the next message of this type with these fields."""
        wanted = {"type": kind, **fields}.items()
        return self.receive_until(lambda message: wanted <= message.items())

    def receive_until(self, wanted: Callable[[Message], object]) -> Message:
        while True:
            while self._read < len(self.received):
                self._read += 1
                if wanted(self.received[self._read - 1]):
                    return self.received[self._read - 1]
            self._receive_frame()

    def _receive_frame(self) -> None:
        frame = self.socket.recv(timeout=TIMEOUT_S, decode=True)
        self.frames.append(frame)
        self.received.append(json.loads(frame))

    def closed(self) -> int:
        """Wait until the server closes the socket; return the close code."""
        try:
            while True:
                self._receive_frame()
        except ConnectionClosed:
            return self.socket.close_code or 0

    def leave(self) -> None:
        self.socket.close()


class SocketClients:
    """Opens sockets to a running stack and closes them at the end."""

    def __init__(self, server: Server, stack: ExitStack) -> None:
        self.server, self._stack = server, stack

    def open(self, path: str, headers: dict[str, str] | None = None) -> SocketClient:
        socket = connect(
            f"{self.server.ws}/{path}",
            additional_headers=headers,
            compression=None,
            max_size=None,
            proxy=None,
            ping_interval=None,
            close_timeout=1,
        )
        return SocketClient(self._stack.enter_context(socket))

    def phone(self, code: str, **fields: Any) -> tuple[SocketClient, Message]:
        """A joined phone and its welcome message."""
        client = self.open("phone").say("phone.join", code=code, **fields)
        return client, client.receive("phone.welcomed")

    def display(self, code: str, **fields: Any) -> tuple[SocketClient, Message]:
        client = self.open("display").say("display.join", code=code, **fields)
        return client, client.receive("display.welcomed")

    def console(self, code: str, cookie: str = "") -> SocketClient:
        """Send the join request; the caller receives the answer."""
        headers = {"Origin": self.server.http} | ({"Cookie": cookie} if cookie else {})
        return self.open("console", headers).say("console.join", code=code)


@contextmanager
def open_clients(server: Server) -> Iterator[SocketClients]:
    with ExitStack() as stack:
        yield SocketClients(server, stack)


@pytest.fixture
def clients(server: Server) -> Iterator[SocketClients]:
    with open_clients(server) as opened:
        yield opened

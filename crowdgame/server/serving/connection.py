"""A client's connection: collects its HTTP requests, limits them, and becomes a WebSocket on request."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import httptools

from crowdgame.server.config.open_files import is_nearly_exhausted
from crowdgame.server.serving.body_budget import Reservation
from crowdgame.server.serving.handshake import INVALID_RESPONSE, build_scope, refuse_handshake
from crowdgame.server.serving.request_limits import (
    BODY_TOO_LARGE_RESPONSE,
    HEAD_TOO_LARGE_RESPONSE,
    INVALID_REQUEST_RESPONSE,
    MAX_HEAD_BYTES,
    BodyRefused,
)
from crowdgame.server.serving.websocket import WebSocket
from voting.metrics.metrics import count_refusal

if TYPE_CHECKING:
    from crowdgame.server.serving.front import Front

MAX_PIPELINED = 16
# How long a client whose request is refused may go on sending it. Closing at once would reset the connection,
# and the client could lose the response.
LINGER_S = 2.0
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(slots=True)
class Request:
    """The request that is being received. `headers` are in order, with names in lower case."""

    target: bytes = b""
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body_size: int = 0
    is_complete: bool = False
    is_handshake: bool = False
    is_head_complete: bool = False

    def head_size(self, method: bytes) -> int:
        fields = sum(len(name) + len(value) + len(b": \r\n") for name, value in self.headers)
        return len(method) + len(self.target) + len(b"  HTTP/1.1\r\n") + fields + len(b"\r\n")


class Connection(asyncio.Protocol):
    """A connection until it becomes a WebSocket.

    Requests go to the server's HTTP protocol once they are complete, so those that never finish cost little.
    `_deadline` aborts the connection unless the rest of a head or body arrives in time; `_stall` does if the
    client reads nothing of a response. `_reservations` are those of the requests without a complete response;
    None for a request without a body. The first `_started` of them were given to the server. `_read` are the
    bytes of the others, `_whole` of them of complete requests. `_early` are the bytes after a handshake that
    waits until the requests before it are answered.
    """

    def __init__(self, front: "Front") -> None:
        self._front = front
        self._loop = asyncio.get_running_loop()
        self._http: Any = None
        self._request = Request(is_complete=True)
        self._read = bytearray()
        self._started = self._whole = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None
        self._writable: asyncio.Event | None = None
        self._reservations: list[Reservation | None] = []
        self._refusal: bytes | None = None
        self._early: bytes | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.peer = (transport.get_extra_info("peername") or ("", 0))[:2]
        self._parser: Any = httptools.HttpRequestParser(self)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._set_deadline(self._front.service.head_timeout_s)
        self._front.connections[self.peer] = self
        if is_nearly_exhausted(transport.get_extra_info("socket").fileno()):
            count_refusal("connection")
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        if self._http is not None:
            self._http.connection_lost(None)

    def _leave(self) -> None:
        if self._front.connections.get(self.peer) is self:
            del self._front.connections[self.peer]
        self._parser = None  # it refers to this connection
        self._set_deadline(None)
        self.resume_writing()
        for reservation in filter(None, self._reservations):
            reservation.release()

    def _set_deadline(self, within_s: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if within_s is None else self._loop.call_later(within_s, self.transport.abort)

    # Requests

    def data_received(self, data: bytes) -> None:
        if self._refusal is not None:
            return
        if self._early is not None:
            self._early += data
            return
        self._read += data
        early = self._parse(data)
        if early is not None:
            self._become_websocket(early)
            return
        if not self._request.is_complete:
            self._limit_size()
        if self._refusal is not None:
            self._respond_and_close(self._refusal)
        elif self._request.is_complete and len(self._reservations) > self._started:
            self._forward()

    def _parse(self, data: bytes) -> bytes | None:
        """Parse more bytes. Returns those that follow a valid handshake, None if there is none."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            rest = data[upgrade.args[0] :]
            if self._request.is_handshake and self._refusal is None:
                return rest
            if rest:
                self._refuse(INVALID_REQUEST_RESPONSE)
        except httptools.HttpParserError:
            self._refuse(INVALID_REQUEST_RESPONSE)
        return None

    def on_message_begin(self) -> None:
        if self._http is not None:
            self._set_deadline(self._front.service.head_timeout_s)
        self._request = Request()

    def on_url(self, part: bytes) -> None:
        self._request.target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        self._request.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self._request.is_head_complete = True
        headers = dict(self._request.headers)
        if len(self._read) > MAX_HEAD_BYTES:
            self._limit_head(self._request.head_size(self._parser.get_method()))
        if b"websocket" in headers.get(b"upgrade", b"").lower():
            self._check_handshake(headers)
        elif b"transfer-encoding" in headers:
            self._reservations.append(self._admit_body(None, headers))
        else:
            length = int(headers.get(b"content-length", 0))
            self._reservations.append(self._admit_body(length, headers) if length else None)

    def _check_handshake(self, headers: dict[bytes, bytes]) -> None:
        parser, request = self._parser, self._request
        request.is_handshake = True
        refusal = refuse_handshake(
            parser.get_method(), parser.get_http_version(), request.target, request.headers, headers
        )
        if len(self._reservations) > self._started or not parser.should_upgrade():  # pipelined, or no upgrade
            refusal = refusal or INVALID_RESPONSE
        if refusal is not None:
            self._refuse(refusal)

    def _admit_body(self, length: int | None, headers: dict[bytes, bytes]) -> Reservation | None:
        request = self._request
        self._set_deadline(self._front.service.body_timeout_s)
        try:
            reservation = self._front.body_limits.admit(
                request.target, length, self.peer[0], request.headers, self.transport.abort
            )
        except BodyRefused as refusal:
            self._refuse(refusal.response)
            return None
        if headers.get(b"expect", b"").lower() == b"100-continue" and self._refusal is None:
            self.transport.write(CONTINUE)
        return reservation

    def _limit_size(self) -> None:
        """Limit what an unfinished request holds, whatever its chunks look like."""
        size = len(self._read) - self._whole
        if not self._request.is_head_complete:
            self._limit_head(size)
        elif size > MAX_HEAD_BYTES + 2 * self._front.body_limits.max_bytes(self._request.target):
            self._refuse(BODY_TOO_LARGE_RESPONSE)
        if len(self._reservations) - self._started > MAX_PIPELINED:
            self._refuse(INVALID_REQUEST_RESPONSE)

    def _limit_head(self, size: int) -> None:
        if size > MAX_HEAD_BYTES:
            self._refuse(HEAD_TOO_LARGE_RESPONSE)

    def on_body(self, body: bytes) -> None:
        self._request.body_size += len(body)
        if self._request.body_size > self._front.body_limits.max_bytes(self._request.target):
            self._refuse(BODY_TOO_LARGE_RESPONSE)

    def on_message_complete(self) -> None:
        self._request.is_complete = True
        self._whole = len(self._read)
        if self._reservations and (reservation := self._reservations[-1]):
            reservation.finish()

    def _refuse(self, response: bytes) -> None:
        """Choose the response to an invalid request: that to its first fault."""
        self._refusal = self._refusal or response

    def _respond_and_close(self, refusal: bytes) -> None:
        if self._started:  # another response is being sent
            self.transport.close()
            return
        self._read.clear()
        self.transport.write(refusal)
        self.transport.write_eof()
        self._set_deadline(LINGER_S)

    def _forward(self) -> None:
        """Give the complete requests to the server: the first ones of a connection in turn with others."""
        self._set_deadline(None)
        read, self._read, self._whole = bytes(self._read), bytearray(), 0
        self._started = len(self._reservations)
        if self._http is None:
            self._front.queue.add(partial(self._start, read))
        else:
            self._start(read)

    def _start(self, read: bytes) -> None:
        if not self.transport.is_closing():
            if self._http is None:
                self._http = self._front.make_http()
                self._http.connection_made(self.transport)
            self._http.data_received(read)

    # Responses

    def pause_writing(self) -> None:
        self._writable = asyncio.Event()
        self._stall = self._loop.call_later(self._front.service.stall_s, self.transport.abort)
        if self._http is not None:
            self._http.pause_writing()

    def resume_writing(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None
        if self._writable is not None:
            self._writable.set()
            self._writable = None
            if self._http is not None:
                self._http.resume_writing()

    async def catch_up(self) -> None:
        """Wait until the client has read most of what was sent."""
        while self._writable is not None:
            await self._writable.wait()

    def finish_request(self) -> None:
        """The application has responded to the oldest request."""
        self._started -= 1
        if reservation := self._reservations.pop(0):
            reservation.release()
        if self._early is not None:
            self._loop.call_soon(self._become_websocket, self._early)
        elif self._request.is_complete and not (self._reservations or self.transport.is_closing()):
            self._set_deadline(self._front.service.head_timeout_s)

    def close_idle(self) -> None:
        """Close the connection unless a request is being answered."""
        if not self._started:
            self.transport.close()

    def _become_websocket(self, early: bytes) -> None:
        """Become a WebSocket, as soon as all requests before the handshake are answered."""
        if self._started:
            self._early = early
            return
        if self.transport.is_closing():
            return
        transport, request = self.transport, self._request
        self._leave()
        if self._http is not None:
            self._front.detach_http(self._http)
            transport.resume_reading()
        scope = build_scope(request.target, request.headers, self.peer, transport.get_extra_info("sockname"))
        socket = WebSocket(transport, dict(request.headers)[b"sec-websocket-key"], self._front.sockets)
        transport.set_protocol(socket)
        socket.begin(self._front.service.asgi_application, scope, early)

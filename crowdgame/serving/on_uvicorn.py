"""uvicorn server of a gateway: uvloop, httptools and websockets' sans-I/O protocol, without compression."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from crowdgame.config.open_files import is_nearly_exhausted
from crowdgame.serving.body_budget import Reservation
from crowdgame.serving.handshake import read_handshake
from crowdgame.serving.listener import BACKLOG
from crowdgame.serving.request_limits import (
    BODY_TOO_LARGE_RESPONSE,
    HEAD_TOO_LARGE_RESPONSE,
    MAX_HEAD_BYTES,
    BodyLimits,
    BodyRefused,
)
from crowdgame.serving.request_queue import RequestQueue
from crowdgame.serving.service import CLOSE_TIMEOUT_S, Service
from crowdgame.serving.uvicorn_socket import UvicornSocket
from voting.protocol import MAX_FRAME_BYTES

HEAD_OVERHEAD, HEADER_OVERHEAD = len("GET  HTTP/1.1\r\n\r\n"), len(": \r\n")


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How long a client may take for a request's head, its body, and for reading anything of a response."""

    head_timeout_s: float
    body_timeout_s: float
    stall_s: float
    bodies: BodyLimits


class UvicornRequest(HttpToolsProtocol):
    """HTTP protocol that limits the size and the time of request heads and bodies.

    `deadline` aborts the connection, unless the client sends the rest of the head or body in time.
    A client that reads nothing of a response in time is disconnected. `reservations` are those of the
    requests without a complete response; None for a request without a body.
    """

    in_head = False
    head_size = 0
    parsed_size = 0
    body_size = 0
    deadline: asyncio.TimerHandle | None = None
    stall_timer: asyncio.TimerHandle | None = None

    def __init__(self, limits: RequestLimits, **options: Any) -> None:
        super().__init__(**options)
        self.reservations: deque[Reservation | None] = deque()
        self._limits = limits

    def pause_writing(self) -> None:
        super().pause_writing()
        self.stall_timer = self.loop.call_later(self._limits.stall_s, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_stall_timer()

    def _cancel_stall_timer(self) -> None:
        if self.stall_timer is not None:
            self.stall_timer.cancel()

    def on_message_begin(self) -> None:
        self.in_head = True
        self.parsed_size = HEAD_OVERHEAD
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count_parsed(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count_parsed(len(name) + len(value) + HEADER_OVERHEAD)

    def _count_parsed(self, size: int) -> None:
        """Limit a head that arrives in one piece with its end."""
        self.parsed_size += size
        if self.parsed_size > MAX_HEAD_BYTES:
            self._refuse(HEAD_TOO_LARGE_RESPONSE)

    def on_headers_complete(self) -> None:
        self.in_head = False
        self.body_size = 0
        if self.transport.is_closing():
            return
        try:
            self.reservations.append(self._admit_body())
        except BodyRefused as refusal:
            self._refuse(refusal.response)
            return
        self._set_deadline(self._limits.body_timeout_s)
        super().on_headers_complete()

    def _admit_body(self) -> Reservation | None:
        headers = dict(self.headers)
        length = int(headers.get(b"content-length", 0))
        is_chunked = b"transfer-encoding" in headers
        if not (length or is_chunked):
            return None
        peer = self.client[0] if self.client else ""
        return self._limits.bodies.admit(
            self.url, None if is_chunked else length, peer, self.headers, self.transport.abort
        )

    def on_body(self, body: bytes) -> None:
        self.body_size += len(body)
        if self.transport.is_closing():
            return
        if self.body_size > self._limits.bodies.max_bytes(self.url):
            self._refuse(BODY_TOO_LARGE_RESPONSE)
        else:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._set_deadline(None)
        if not self.transport.is_closing():
            if self.reservations and (reservation := self.reservations[-1]):
                reservation.finish()
            super().on_message_complete()

    def on_response_complete(self) -> None:
        if reservation := self.reservations.popleft():
            reservation.release()
        super().on_response_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.head_size = self.head_size + len(data) if self.in_head else 0
        if self.head_size > MAX_HEAD_BYTES:
            self._refuse(HEAD_TOO_LARGE_RESPONSE)
        elif self.deadline is None and self._waits_for_head():
            self._set_deadline(self._limits.head_timeout_s)

    def handle_websocket_upgrade(self) -> None:
        if self.transport.is_closing():
            return
        self._set_deadline(None)
        self._release_all()
        super().handle_websocket_upgrade()

    def connection_lost(self, exc: Exception | None) -> None:
        self._set_deadline(None)
        self._cancel_stall_timer()
        self._release_all()
        super().connection_lost(exc)

    def _release_all(self) -> None:
        for reservation in filter(None, self.reservations):
            reservation.release()

    def _waits_for_head(self) -> bool:
        is_between_requests = self.cycle is None or self.cycle.response_complete
        return self.in_head or (is_between_requests and self.timeout_keep_alive_task is None)

    def _set_deadline(self, within_s: float | None) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
        self.deadline = None if within_s is None else self.loop.call_later(within_s, self.transport.abort)

    def _refuse(self, response: bytes) -> None:
        if self.transport.is_closing():
            return
        is_mid_response = self.cycle and self.cycle.response_started and not self.cycle.response_complete
        if not is_mid_response:
            self.transport.write(response)
        self.transport.close()


class PendingConnection(asyncio.Protocol):
    """A connection before its first bytes.

    A usual handshake in one piece takes the fast path. Everything else waits in the queue of requests.
    """

    def __init__(self, queue: RequestQueue, limits: RequestLimits, **options: Any) -> None:
        self._queue = queue
        self._limits = limits
        self._options = options
        self._connections: set[Any] = options["server_state"].connections

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._connections.add(self)
        self._deadline = asyncio.get_running_loop().call_later(self._limits.head_timeout_s, transport.abort)
        if is_nearly_exhausted(transport.get_extra_info("socket").fileno()):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        self._connections.discard(self)

    def data_received(self, data: bytes) -> None:
        handshake = read_handshake(data)
        if handshake is None:
            self._transport.pause_reading()
            self._queue.add(partial(self._start_request, data))
        else:
            self._deadline.cancel()
            self._switch_protocol(UvicornSocket(**self._options)).shake_hands(*handshake)

    def _start_request(self, data: bytes) -> None:
        if self._transport.is_closing():
            return
        request = self._switch_protocol(UvicornRequest(self._limits, **self._options))
        request.deadline = self._deadline
        self._transport.resume_reading()
        request.data_received(data)

    def _switch_protocol(self, protocol: Any) -> Any:
        self._connections.discard(self)
        protocol.connection_made(self._transport)
        self._transport.set_protocol(protocol)
        return protocol

    def shutdown(self) -> None:
        self._transport.close()


class UvicornServer(uvicorn.Server):
    """uvicorn without signal handlers: the service handles signals and graceful shutdown."""

    def __init__(self, service: Service) -> None:
        super().__init__(_config(service))
        self._service = service

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self._service.drain_on_signals(self._stop_listening, self._stop)

    def _stop_listening(self) -> None:
        for server in self.servers:
            server.close()

    def _stop(self) -> None:
        self.should_exit = True


def serve(service: Service) -> None:
    """Serve until a signal ends the process."""
    UvicornServer(service).run(sockets=[service.listener])


def _config(service: Service) -> uvicorn.Config:
    return uvicorn.Config(
        service.asgi_application,
        loop="uvloop",
        http=partial(  # type: ignore[arg-type]  # a class according to its annotation
            PendingConnection,
            RequestQueue(),
            RequestLimits(
                service.head_timeout_s, service.body_timeout_s, service.stall_s, service.body_limits()
            ),
        ),
        ws=UvicornSocket,
        ws_max_size=MAX_FRAME_BYTES,
        ws_ping_interval=None,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=CLOSE_TIMEOUT_S,
    )

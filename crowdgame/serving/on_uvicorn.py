"""uvicorn server of a gateway: uvloop, httptools and websockets' sans-I/O protocol, without compression."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from crowdgame.serving.handshake import read_handshake
from crowdgame.serving.listener import BACKLOG, MAX_HEAD_BYTES
from crowdgame.serving.service import CLOSE_TIMEOUT_S, Service
from crowdgame.serving.uvicorn_socket import UvicornSocket
from voting.protocol import MAX_FRAME_BYTES


class UvicornRequest(HttpToolsProtocol):
    """HTTP protocol that aborts a connection whose request head exceeds MAX_HEAD_BYTES."""

    in_head = False
    head_size = 0

    def on_message_begin(self) -> None:
        self.in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self.in_head = False
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.head_size = self.head_size + len(data) if self.in_head else 0
        if self.head_size > MAX_HEAD_BYTES:
            self.transport.abort()


class PendingConnection(asyncio.Protocol):
    """A connection before its first bytes. A usual handshake in one piece takes the fast path."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._connections: set[Any] = options["server_state"].connections

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)

    def data_received(self, data: bytes) -> None:
        self._connections.discard(self)
        handshake = read_handshake(data)
        if handshake is None:
            self._switch_protocol(UvicornRequest(**self._options)).data_received(data)
        else:
            self._switch_protocol(UvicornSocket(**self._options)).shake_hands(*handshake)

    def _switch_protocol(self, protocol: Any) -> Any:
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
        service.application,
        loop="uvloop",
        http=PendingConnection,
        ws=UvicornSocket,
        ws_max_size=MAX_FRAME_BYTES,
        ws_ping_interval=None,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        proxy_headers=service.proxied,
        forwarded_allow_ips="*" if service.proxied else None,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=CLOSE_TIMEOUT_S,
    )

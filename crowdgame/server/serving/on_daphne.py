"""Daphne as the HTTP server of a gateway."""

import asyncio
from io import BytesIO
from typing import Any

from twisted.internet import asyncioreactor

from crowdgame.server.serving.event_loop import new_event_loop

# Before Daphne installs one on the loop of asyncio.
asyncioreactor.install(new_event_loop())  # type: ignore[no-untyped-call]  # Twisted declares none

from daphne.http_protocol import WebRequest
from daphne.server import Server
from twisted import internet
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IConsumer, IPushProducer, ITransport
from twisted.python.failure import Failure
from zope.interface import implementer

from crowdgame.server.serving.front import Front
from crowdgame.server.serving.service import CLOSE_TIMEOUT_S, Service

reactor: Any = internet.reactor
NO_ENDPOINT = "the front listens"  # Daphne requires one


class MemoryRequest(WebRequest):  # type: ignore[misc]  # Daphne declares no types
    """Keeps the body in memory, where the connection limits it. Twisted would write a file."""

    def gotLength(self, length: int | None) -> None:
        self.content = BytesIO()


@implementer(ITransport, IConsumer, IPushProducer)
class TwistedConnection(asyncio.Protocol):
    """Lets a Twisted protocol use an asyncio transport."""

    def __init__(self, factory: Any) -> None:
        self._factory = factory
        self._producer: Any = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._protocol = self._factory.buildProtocol(self.getPeer())
        self._protocol.requestFactory = MemoryRequest
        self._protocol.makeConnection(self)

    def data_received(self, data: bytes) -> None:
        self._protocol.dataReceived(data)

    def connection_lost(self, exc: Exception | None) -> None:
        error = ConnectionLost() if exc else ConnectionDone()
        self._protocol.connectionLost(Failure(error))  # type: ignore[no-untyped-call]  # Twisted declares none

    def pause_writing(self) -> None:
        if self._producer is not None:
            self._producer.pauseProducing()

    def resume_writing(self) -> None:
        if self._producer is not None:
            self._producer.resumeProducing()

    @property
    def disconnecting(self) -> bool:
        return bool(self._transport.is_closing())

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    def writeSequence(self, parts: Any) -> None:
        self._transport.write(b"".join(parts))

    def loseConnection(self) -> None:
        self._transport.close()

    def abortConnection(self) -> None:
        self._transport.abort()

    def getPeer(self) -> Any:
        return _address(*self._transport.get_extra_info("peername"))

    def getHost(self) -> Any:
        return _address(*self._transport.get_extra_info("sockname"))

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        self._producer = producer

    def unregisterProducer(self) -> None:
        self._producer = None

    def pauseProducing(self) -> None:
        self._transport.pause_reading()

    def resumeProducing(self) -> None:
        self._transport.resume_reading()

    def stopProducing(self) -> None:
        self._transport.close()


def _address(host: str, port: int, *more: int) -> IPv4Address | IPv6Address:
    """`more` follow in the names of IPv6 sockets."""
    return (IPv6Address if more else IPv4Address)("TCP", host, port)


def serve(service: Service) -> None:
    """Serve until a signal ends the process."""
    front = Front(
        service, lambda: TwistedConnection(server.http_factory), lambda http: http.connection_lost(None)
    )

    async def run() -> None:
        try:
            await front.serve()
        finally:
            reactor.callLater(CLOSE_TIMEOUT_S, reactor.crash)
            reactor.stop()

    def begin() -> None:
        server.http_factory.timeOut = front.keep_alive_s
        tasks.append(asyncio.ensure_future(run()))

    tasks: list[asyncio.Task[None]] = []
    server: Any = Server(
        front.http_application,
        endpoints=[NO_ENDPOINT],
        signal_handlers=False,
        application_close_timeout=CLOSE_TIMEOUT_S,
        verbosity=0,
        server_name="",
        ready_callable=lambda: reactor.callLater(0, begin),
    )
    server.endpoints = []
    server.run()

"""Daphne server and WebSocket of a gateway, with backpressure for slow consumers and graceful shutdown."""

import asyncio
from typing import Any

import autobahn.twisted.websocket
import autobahn.websocket.protocol
from autobahn.exception import Disconnected
from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol
from twisted import internet
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection, Port
from twisted.python.failure import Failure

from crowdgame.serving.pending_connection import HandshakeFactory
from crowdgame.serving.response_flow import ResponseFlow
from crowdgame.serving.service import CLOSE_TIMEOUT_S, Service
from voting.gateway.send_queue import encode_text_frame, read_short_text
from voting.gateway.server_extensions import DESCRIPTOR, READ_TEXTS, WRITE_FRAMES, ReadText
from voting.protocol import MAX_FRAME_BYTES, CloseCode

reactor: Any = internet.reactor

ADOPTED_SOCKET = "adopted listening socket"  # placeholder: Daphne requires an endpoint
NO_TIMEOUT = -1
CLOSE_HANDSHAKE_TIMEOUT_S = 5  # an earlier reset could overtake the close code, which says when to retry
PING_DISABLED_S = 10**9  # phones break a silence with time requests, and TCP keepalive detects dead ones

MAX_QUEUED_MESSAGES = 64
ACCEPTED_AT_ONCE = 8


class DaphneSocket(WebSocketProtocol):  # type: ignore[misc]
    """A server-side WebSocket.

    `caught_up` is None unless the client reads too slowly. It is set as soon as the send buffer is empty.

    `reader` is the application's reader of short texts, see READ_TEXTS.

    Autobahn handles every case of the protocol, and Twisted every kind of transport. Two common cases bypass
    them at a third of the cost. One is receiving a short unfragmented text frame. The other is sending a text
    while the send buffer is empty.
    """

    caught_up: asyncio.Event | None = None
    reader: ReadText | None = None

    def connectionMade(self) -> None:
        self.transport.unregisterProducer()  # the HTTP channel, which is done after the upgrade
        super().connectionMade()
        self.transport.registerProducer(self, True)
        self._is_plain_tcp = isinstance(self.transport, Connection)

    def pauseProducing(self) -> None:
        if self.caught_up is None:
            self.caught_up = asyncio.Event()

    def resumeProducing(self) -> None:
        if self.caught_up is not None:
            self.caught_up.set()
            self.caught_up = None

    stopProducing = resumeProducing

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Break a reference cycle: Autobahn resolves `is_closed` with the socket itself."""
        super().connectionLost(reason)
        self.is_closed = None

    def _closeConnection(self, abort: bool = False) -> None:
        """Discard a slow consumer's unsent data, because a close would wait until it is read."""
        self.transport.unregisterProducer()  # Twisted delays a close while a producer is registered
        super()._closeConnection(abort or self.caught_up is not None)
        self.resumeProducing()

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:
        if binary or isinstance(content, bytes):
            super().serverSend(content, binary)
            return
        if self.state != self.STATE_OPEN:
            raise Disconnected("closed")
        self.sendData(encode_text_frame(content.encode()))

    def write_frames(self, wire: bytes) -> bool:
        """Write prebuilt text frames, unless the client reads too slowly or the socket is closing."""
        if self.state != self.STATE_OPEN or self.caught_up is not None:
            return False
        self.sendData(wire)
        return True

    def sendData(self, data: bytes, sync: bool = False, chopsize: int | None = None) -> None:
        transport = self.transport
        if (
            self._is_plain_tcp
            and transport.connected
            and not (transport._tempDataBuffer or transport.dataBuffer)
        ):
            written = transport.writeSomeData(data)
            if written == len(data):
                return
            if isinstance(written, int):
                data = data[written:]
        transport.write(data)

    def dataReceived(self, data: bytes) -> None:
        text = read_short_text(data) if self._is_between_messages() else None
        if text is None:
            self._dataReceived(data)
        elif not (self.reader and self.application_queue.empty() and self.reader(text)):
            self._queue_text(text)

    def _is_between_messages(self) -> bool:
        return self.state == self.STATE_OPEN and not (self.data or self.inside_message or self.current_frame)

    def _queue_text(self, text: bytes) -> None:
        try:
            self.onMessage(text, False)
        except UnicodeDecodeError:
            self._invalid_payload("not UTF-8")

    def register_reader(self, reader: ReadText | None) -> None:
        self.reader = reader

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        """Queue a message for the application. Close the socket if MAX_QUEUED_MESSAGES are waiting."""
        if self.state != self.STATE_OPEN:
            return
        if self.application_queue.qsize() < MAX_QUEUED_MESSAGES:
            super().onMessage(payload, isBinary)
        else:
            self.sendClose(CloseCode.TOO_MANY_FRAMES)

    def _max_message_size_exceeded(self, *_: Any) -> None:
        self.failedByMe = True  # discard the rest of the frame
        self.sendClose(CloseCode.FRAME_TOO_LARGE)


class GatewayPort(Port):
    """A listening port that accepts ACCEPTED_AT_ONCE connections per iteration of the event loop.

    Twisted would accept a hundred and more, while votes wait.
    """

    numberAccepts = property(lambda _: ACCEPTED_AT_ONCE, lambda _self, _asked: None)


class DaphneServer(Server):  # type: ignore[misc]
    """Daphne with DaphneSocket for WebSockets. The service, not Daphne, handles signals and shutdown."""

    def __init__(self, service: Service) -> None:
        self._service = service
        super().__init__(
            service.asgi_application,
            endpoints=[ADOPTED_SOCKET],
            signal_handlers=False,
            ping_interval=PING_DISABLED_S,
            websocket_timeout=NO_TIMEOUT,
            websocket_max_frame_size=MAX_FRAME_BYTES,
            websocket_max_message_size=MAX_FRAME_BYTES,
            application_close_timeout=CLOSE_TIMEOUT_S,
            verbosity=0,
            server_name="",
            ready_callable=self._begin,
        )
        self.endpoints: list[str] = []

    def _begin(self) -> None:
        self.ws_factory.protocol = DaphneSocket
        self.ws_factory.setProtocolOptions(closeHandshakeTimeout=CLOSE_HANDSHAKE_TIMEOUT_S)
        service = self._service
        self._front = HandshakeFactory(
            self, service.head_timeout_s, service.body_timeout_s, service.body_limits()
        )
        listener = self._service.listener
        listener.setblocking(False)
        port: Any = GatewayPort
        port = port._fromListeningDescriptor(reactor, listener.fileno(), listener.family, self._front)
        port.startListening()
        reactor.callLater(0, self._service.drain_on_signals, port.stopListening, self._stop)

    def timeout_checker(self) -> None:
        super().timeout_checker()
        self._front.close_idle()

    def _stop(self) -> None:
        reactor.callLater(CLOSE_TIMEOUT_S, reactor.crash)
        reactor.stop()

    def kill_all_applications(self) -> Any:
        """Drop finished connections first: Daphne's method fails on them and would end no application."""
        over = [one for one, details in self.connections.items() if "application_instance" not in details]
        for connection in over:
            del self.connections[connection]
        return super().kill_all_applications()

    def create_application(self, protocol: Any, scope: Any) -> Any:
        """Offer the server extensions to WebSocket applications."""
        if isinstance(protocol, DaphneSocket):
            own = {
                WRITE_FRAMES: protocol.write_frames,
                READ_TEXTS: protocol.register_reader,
                DESCRIPTOR: protocol.transport.fileno(),
            }
            scope.setdefault("extensions", {}).update(own)
        queue = super().create_application(protocol, scope)
        running = self.connections.get(protocol, {}).get("application_instance")
        if running is not None:
            running.add_done_callback(lambda _: self._forget(protocol))
        return queue

    def protocol_disconnected(self, protocol: Any) -> None:
        if protocol in self.connections:
            super().protocol_disconnected(protocol)
            self._forget(protocol)

    def _forget(self, protocol: Any) -> None:
        """Forget a connection that is over. Daphne would forget all those of a second at once.

        One whose application failed is left to Daphne, which logs the exception.
        """
        details = self.connections.get(protocol, {})
        running = details.get("application_instance")
        is_over = running is None or (running.done() and (running.cancelled() or not running.exception()))
        if "disconnected" in details and is_over:
            del self.connections[protocol]

    async def handle_reply(self, protocol: Any, message: Any) -> None:
        """Like Daphne's, but sends to a slow consumer wait until it has caught up (backpressure)."""
        if not isinstance(protocol, DaphneSocket):
            await self._send_response(protocol, message)
            return
        while protocol.caught_up is not None and message["type"] == "websocket.send":
            await protocol.caught_up.wait()
        details = self.connections.get(protocol)
        if details is not None and "disconnected" not in details:
            protocol.handle_reply(message)

    async def _send_response(self, request: Any, message: Any) -> None:
        """Send a part of an HTTP response. A streamed response waits until its client has read most of it."""
        more = message.get("more_body", False)
        if more and request.producer is None and request.channel is not None:
            request.registerProducer(ResponseFlow(request.channel.transport, self._service.stall_s), True)
        elif not more and request.producer is not None:
            request.unregisterProducer()
        await super().handle_reply(request, message)
        if more and request.producer is not None:
            await request.producer.caught_up.wait()


def _disable_handshake_logging() -> None:
    """Disable formatting of handshake reports: Autobahn builds them even if they aren't logged."""
    for module in (autobahn.websocket.protocol, autobahn.twisted.websocket):
        for name in ("pformat", "hltype", "hlval"):
            setattr(module, name, lambda *_, **__: "")


def serve(service: Service) -> None:
    """Serve until a signal ends the process."""
    _disable_handshake_logging()
    DaphneServer(service).run()

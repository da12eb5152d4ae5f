"""Daphne server of a gateway, with backpressure for slow consumers and graceful shutdown."""

from typing import Any

import autobahn.twisted.websocket
import autobahn.websocket.protocol
from daphne.server import Server
from twisted import internet

from crowdgame.serving.daphne_socket import DaphneSocket
from crowdgame.serving.pending_connection import HandshakeFactory
from crowdgame.serving.response_flow import ResponseFlow
from crowdgame.serving.service import CLOSE_TIMEOUT_S, Service
from voting.gateway.send_queue import WRITE_FRAMES
from voting.protocol import MAX_FRAME_BYTES

reactor: Any = internet.reactor

ADOPTED_SOCKET = "adopted listening socket"  # placeholder: Daphne requires an endpoint
NO_TIMEOUT = -1
CLOSE_HANDSHAKE_TIMEOUT_S = 5  # an earlier reset could overtake the close code, which says when to retry
PING_DISABLED_S = 10**9  # phones send time requests themselves, and TCP keepalive detects dead ones


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
        port = reactor.adoptStreamPort(listener.fileno(), listener.family, self._front)
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
        """Offer prebuilt frames to WebSocket applications."""
        if isinstance(protocol, DaphneSocket):
            scope.setdefault("extensions", {})[WRITE_FRAMES] = protocol.write_frames
        return super().create_application(protocol, scope)

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

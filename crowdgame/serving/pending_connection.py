"""First bytes of a connection under Daphne: fast path for usual handshakes, Daphne for all other requests."""

import time
from functools import partial
from typing import Any

from autobahn.websocket.types import ConnectionDeny, ConnectionRequest
from daphne.http_protocol import HTTPFactory
from twisted.internet.protocol import Protocol
from twisted.internet.tcp import Connection

from crowdgame.config.open_files import is_nearly_exhausted
from crowdgame.serving.daphne_request import DaphneRequest, DaphneRequestChannel
from crowdgame.serving.handshake import HEAD_END, VERSION, RequestHead, read_handshake
from crowdgame.serving.request_limits import HEAD_TOO_LARGE_RESPONSE, MAX_HEAD_BYTES, BodyLimits
from crowdgame.serving.request_queue import RequestQueue


class PendingConnection(Protocol):
    """A connection whose request head isn't complete. `since` is when it opened, in monotonic seconds."""

    def __init__(self, factory: "HandshakeFactory", address: Any) -> None:
        self.factory: HandshakeFactory = factory
        self.since = time.monotonic()
        self._address = address
        self._read = b""

    def connectionMade(self) -> None:
        transport: Any = self.transport
        if is_nearly_exhausted(transport.fileno()):
            transport.abortConnection()
        else:
            self.factory.pending.add(self)
            transport.bufferSize = MAX_HEAD_BYTES  # a body waits in the kernel until the request is started

    def connectionLost(self, reason: Any = None) -> None:
        self.factory.pending.discard(self)

    def dataReceived(self, data: bytes) -> None:
        self._read += data
        end = self._read.find(HEAD_END)
        is_too_large = (len(self._read) if end < 0 else end + len(HEAD_END)) > MAX_HEAD_BYTES
        if end >= 0 or is_too_large:
            self.factory.pending.discard(self)
        if is_too_large:
            transport: Any = self.transport
            transport.write(HEAD_TOO_LARGE_RESPONSE)
            transport.loseConnection()
        elif end >= 0:
            self._dispatch(self._read)

    def _dispatch(self, read: bytes) -> None:
        handshake = read_handshake(read)
        if handshake is None or not isinstance(self.transport, Connection):
            transport: Any = self.transport
            transport.pauseProducing()
            self.factory.queue.add(partial(self._start_request, read))
        else:
            accept_handshake(
                self._switch_protocol(self.factory.server.ws_factory.buildProtocol(self._address)), *handshake
            )

    def _start_request(self, read: bytes) -> None:
        transport: Any = self.transport
        if transport.connected and not transport.disconnecting:
            channel = self._switch_protocol(self.factory.build_http_protocol(self._address))
            transport.resumeProducing()
            channel.dataReceived(read)

    def _switch_protocol(self, protocol: Any) -> Any:
        transport: Any = self.transport
        transport.bufferSize = Connection.bufferSize
        transport.protocol = protocol
        protocol.makeConnection(transport)
        return protocol


def accept_handshake(protocol: Any, head: RequestHead, rest: bytes) -> None:
    """Continue like Autobahn after parsing a handshake. `rest` are the bytes after the request head."""
    path, _, query = head.address.partition(b"?")
    protocol.data = rest
    protocol.websocket_version = VERSION
    protocol.websocket_protocols = protocol.websocket_extensions = []
    protocol._wskey = head.key.decode()
    protocol._raw_query_string = query
    headers = {name.decode(): value.decode("latin-1") for name, value in head.header_list}
    request = ConnectionRequest(  # type: ignore[no-untyped-call]
        protocol.peer, headers, headers["host"], path.decode(), {}, VERSION, "", [], []
    )

    def refuse(failure: Any) -> None:
        denied = failure.check(ConnectionDeny)
        protocol.failHandshake(failure.value.reason if denied else "", failure.value.code if denied else 500)

    protocol.onConnect(request).addCallbacks(protocol.succeedHandshake, refuse)


class HandshakeFactory(HTTPFactory):  # type: ignore[misc]
    """Accepts connections. `pending` are those without a complete request head."""

    protocol = DaphneRequestChannel

    def __init__(
        self, server: Any, head_timeout_s: float, body_timeout_s: float, body_limits: BodyLimits
    ) -> None:
        super().__init__(server)
        self._head_timeout_s = head_timeout_s
        self._body_timeout_s = body_timeout_s
        self._body_limits = body_limits
        self.pending: set[PendingConnection] = set()
        self.queue = RequestQueue()

    def buildProtocol(self, addr: Any) -> PendingConnection:
        return PendingConnection(self, addr)

    def build_http_protocol(self, address: Any) -> Any:
        channel = super().buildProtocol(address)
        channel.requestFactory = DaphneRequest
        # Shortening a longer one would put off Twisted's due timers: dozens of connections would end at once.
        channel.timeOut = self._head_timeout_s
        channel.head_timeout_s, channel.body_timeout_s = self._head_timeout_s, self._body_timeout_s
        channel.body_limits = self._body_limits
        return channel

    def close_idle(self) -> None:
        """Abort connections that haven't sent a complete request head in time."""
        latest = time.monotonic() - self._head_timeout_s
        for connection in [one for one in self.pending if one.since < latest]:
            connection.transport.abortConnection()  # type: ignore[union-attr]

"""The first bytes of a connection under Daphne: a usual handshake goes the short way, all else Daphne's."""

import time
from typing import Any

from autobahn.websocket.types import ConnectionDeny, ConnectionRequest
from daphne.http_protocol import HTTPFactory
from twisted.internet.protocol import Protocol
from twisted.internet.tcp import Connection

from crowdgame.serving.handshake import VERSION, Head, read_handshake
from crowdgame.serving.listening import LONGEST_HEAD

END = b"\r\n\r\n"


class PendingConnection(Protocol):
    """A connection of which nothing is known yet; `since` when."""

    def __init__(self, factory: "FrontFactory", address: Any) -> None:
        self.factory: FrontFactory = factory
        self.since = time.monotonic()
        self._address = address
        self._read = b""

    def connectionMade(self) -> None:
        self.factory.pending.add(self)

    def connectionLost(self, reason: Any = None) -> None:
        self.factory.pending.discard(self)

    def dataReceived(self, data: bytes) -> None:
        self._read += data
        if END in self._read or len(self._read) > LONGEST_HEAD:
            self.factory.pending.discard(self)
            self._pass_on(self._read)

    def _pass_on(self, read: bytes) -> None:
        handshake = read_handshake(read)
        if handshake is None or not isinstance(self.transport, Connection):
            self._become(self.factory.build_usual(self._address)).dataReceived(read)
        else:
            shake_hands(self._become(self.factory.server.ws_factory.buildProtocol(self._address)), *handshake)

    def _become(self, protocol: Any) -> Any:
        transport: Any = self.transport
        transport.protocol = protocol
        protocol.makeConnection(transport)
        return protocol


def shake_hands(protocol: Any, head: Head, rest: bytes) -> None:
    """What Autobahn does with a handshake once it has read it."""
    path, _, query = head.address.partition(b"?")
    protocol.data = rest
    protocol.websocket_version = VERSION
    protocol.websocket_protocols = protocol.websocket_extensions = []
    protocol._wskey = head.key.decode()
    protocol._raw_query_string = query
    headers = {name.decode(): value.decode("latin-1") for name, value in head.fields}
    request = ConnectionRequest(  # type: ignore[no-untyped-call]
        protocol.peer, headers, headers["host"], path.decode(), {}, VERSION, "", [], []
    )

    def refuse(failure: Any) -> None:
        denied = failure.check(ConnectionDeny)
        protocol.failHandshake(failure.value.reason if denied else "", failure.value.code if denied else 500)

    protocol.onConnect(request).addCallbacks(protocol.succeedHandshake, refuse)


class FrontFactory(HTTPFactory):  # type: ignore[misc]
    """Where connections come in. `pending` have not said what they want."""

    def __init__(self, server: Any) -> None:
        super().__init__(server)
        self.pending: set[PendingConnection] = set()

    def buildProtocol(self, addr: Any) -> PendingConnection:
        return PendingConnection(self, addr)

    def build_usual(self, address: Any) -> Any:
        return super().buildProtocol(address)

    def end_the_silent(self, within_s: float) -> None:
        """End newcomers that have said nothing for so long."""
        latest = time.monotonic() - within_s
        for connection in [one for one in self.pending if one.since < latest]:
            connection.transport.abortConnection()  # type: ignore[union-attr]

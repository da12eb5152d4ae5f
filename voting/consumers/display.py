"""A projector: it only listens."""

from typing import ClassVar

from voting import protocol
from voting.consumers.socket import CloseSocket, SocketConsumer
from voting.gateway import Gateway
from voting.hub import Room
from voting.links import join_url, qr_rows
from voting.protocol import CloseCode, DisplayJoin

DISPLAYS_AT_ONCE = 50
CROWDED_RETRY_MS = 15_000


class DisplayConsumer(SocketConsumer):
    kind: ClassVar = "display"
    messages: ClassVar = protocol.DisplayMessage

    async def join(self, message: DisplayJoin, room: Room, gateway: Gateway) -> None:
        if len(room.screens) - len(room.consoles) >= DISPLAYS_AT_ONCE:
            raise CloseSocket(CloseCode.CROWDED, CROWDED_RETRY_MS)
        url = join_url(room.state.code, self.scope)
        room.screens.add(self)
        self.enter(
            room,
            protocol.DisplayWelcomed(
                now_at=gateway.now(), seq=room.seq, join_url=url, qr=qr_rows(url), state=room.state
            ),
        )

    async def hear(self, message: DisplayJoin, room: Room) -> None:
        self.tell(protocol.ErrorTold(code="joined_already", text="one join a socket"))

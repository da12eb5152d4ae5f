"""A projector: it only listens."""

from typing import ClassVar

from voting import protocol
from voting.consumers.socket import SocketConsumer
from voting.gateway import Gateway
from voting.hub import Room
from voting.links import join_url, qr_rows
from voting.protocol import DisplayJoin


class DisplayConsumer(SocketConsumer):
    messages: ClassVar = protocol.DisplayMessage

    async def join(self, message: DisplayJoin, room: Room, gateway: Gateway) -> None:
        url = join_url(room.state.code, self.scope)
        await self.enter(
            room,
            lambda: protocol.DisplayWelcomed(
                now_at=gateway.now(), seq=room.seq, join_url=url, qr=qr_rows(url), state=room.state
            ),
        )

    async def hear(self, message: DisplayJoin, room: Room) -> None:
        await self.tell(protocol.ErrorTold(code="joined_already", text="one join a socket"))

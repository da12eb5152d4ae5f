"""A control room: an organizer's presses, each answered."""

from functools import cache
from typing import Any, ClassVar

from channels.db import database_sync_to_async
from django.db import OperationalError
from redis import RedisError

from games.engine.errors import GameError
from games.matches import MatchError
from games.models import Event
from voting import protocol
from voting.ballot_box import BallotBox
from voting.consumers.socket import CloseSocket, SocketConsumer
from voting.control import act
from voting.gateway import Gateway
from voting.hub import Room
from voting.links import join_url
from voting.protocol import ActionAsk, CloseCode, ConsoleJoin

ballot_box = cache(BallotBox)


class ConsoleConsumer(SocketConsumer):
    messages: ClassVar = protocol.ConsoleMessage

    async def join(self, message: ConsoleJoin, room: Room, gateway: Gateway) -> None:
        if not await database_sync_to_async(_controls)(self.scope["user"], room.event_id):
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        url = join_url(room.state.code, self.scope)
        await self.enter(
            room,
            lambda: protocol.ConsoleWelcomed(
                now_at=gateway.now(), seq=room.seq, join_url=url, state=room.state
            ),
        )

    async def hear(self, message: ConsoleJoin | ActionAsk, room: Room) -> None:
        if isinstance(message, ConsoleJoin):
            await self.tell(protocol.ErrorTold(code="joined_already", text="one join a socket"))
            return
        try:
            await database_sync_to_async(_act)(self.scope["user"], room.event_id, message)
        except (MatchError, GameError) as refusal:
            await self.tell(protocol.ActionRefused(id=message.id, text=str(refusal)))
        except (RedisError, OSError, OperationalError):
            text = "Ballot box or database do not answer. Try again."
            await self.tell(protocol.ActionRefused(id=message.id, text=text))
        else:
            await self.tell(protocol.ActionDone(id=message.id))


def _controls(user: Any, event_id: int) -> bool:
    if not user.is_active:
        return False
    return user.is_superuser or Event.objects.filter(pk=event_id, owner_id=user.pk).exists()


def _act(user: Any, event_id: int, ask: ActionAsk) -> None:
    if not _controls(user, event_id):
        raise MatchError("You may not do this.")
    act(event_id, ask, ballot_box())

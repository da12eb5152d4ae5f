"""A control room: an organizer's presses, each answered."""

from functools import cache
from typing import Any, ClassVar

from channels.db import database_sync_to_async
from redis import RedisError

from games.engine.errors import GameError
from games.matches import MatchError
from games.models import Event
from voting import protocol
from voting.ballot_box import BallotBox
from voting.consumers.socket import CloseSocket, SocketConsumer
from voting.control import act
from voting.dry_runs import DryRuns, Stage, check_door, stop_dry_run
from voting.gateway import Gateway, gateway
from voting.hub import Room
from voting.links import join_url
from voting.protocol import ActionAsk, CloseCode, ConsoleJoin
from voting.stores import DATABASE_AWAY

ballot_box = cache(BallotBox)
dry_runs = cache(DryRuns)


class ConsoleConsumer(SocketConsumer):
    kind: ClassVar = "console"
    messages: ClassVar = protocol.ConsoleMessage

    async def join(self, message: ConsoleJoin, room: Room, gateway: Gateway) -> None:
        if not await database_sync_to_async(_controls)(self.scope["user"], room.event_id):
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        url = join_url(room.state.code, self.scope)
        room.screens.add(self)
        room.consoles.add(self)
        self.enter(
            room,
            protocol.ConsoleWelcomed(now_at=gateway.now(), seq=room.seq, join_url=url, state=room.state),
        )

    async def hear(self, message: ConsoleJoin | ActionAsk, room: Room) -> None:
        if isinstance(message, ConsoleJoin):
            self.tell(protocol.ErrorTold(code="joined_already", text="one join a socket"))
            return
        try:
            await self._obey(message, room)
        except (MatchError, GameError) as refusal:
            self.tell(protocol.ActionRefused(id=message.id, text=str(refusal)))
        except (RedisError, OSError, *DATABASE_AWAY):
            text = "Ballot box or database do not answer. Try again."
            self.tell(protocol.ActionRefused(id=message.id, text=text))
        else:
            self.tell(protocol.ActionDone(id=message.id))

    async def _obey(self, ask: ActionAsk, room: Room) -> None:
        """Raises MatchError, GameError, and what box and database raise."""
        await database_sync_to_async(_act)(self.scope["user"], room.event_id, ask)
        if ask.action == "rehearsal.start":
            await dry_runs().start(_stage(room), self.scope["server"], ask.phones)
        elif ask.action == "rehearsal.stop":
            await stop_dry_run(room.event_id, gateway().playbill)


def _stage(room: Room) -> Stage:
    return Stage(
        room.event_id,
        room.state.code,
        gateway().playbill,
        draining=lambda: gateway().retry_ms is not None,
    )


def _controls(user: Any, event_id: int) -> bool:
    if not user.is_active:
        return False
    return user.is_superuser or Event.objects.filter(pk=event_id, owner_id=user.pk).exists()


def _act(user: Any, event_id: int, ask: ActionAsk) -> None:
    if not _controls(user, event_id):
        raise MatchError("You may not do this.")
    if ask.action == "rehearsal.start":
        check_door(event_id)
    elif ask.action != "rehearsal.stop":
        act(event_id, ask, ballot_box())

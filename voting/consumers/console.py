"""A control room: an organizer's presses, each answered."""

import asyncio
from contextlib import suppress
from functools import cache
from typing import ClassVar

from channels.db import database_sync_to_async
from redis import RedisError

from games.engine.errors import GameError
from games.matches import MatchError
from voting import protocol
from voting.admission import projector_key
from voting.ballot_box import BallotBox
from voting.consumers.socket import CloseSocket, Receive, SocketConsumer
from voting.control import act
from voting.dry_runs import DryRuns, Stage, check_door, stop_dry_run
from voting.gateway import Gateway, gateway
from voting.hub import Room
from voting.links import join_url
from voting.protocol import ActionAsk, CloseCode, ConsoleJoin
from voting.rights import NEEDED, Right, may
from voting.stores import DATABASE_AWAY

LOOK_AGAIN_S = 15.0

ballot_box = cache(BallotBox)
dry_runs = cache(DryRuns)


class ConsoleConsumer(SocketConsumer):
    kind: ClassVar = "console"
    messages: ClassVar = protocol.ConsoleMessage

    async def join(self, message: ConsoleJoin, room: Room, gateway: Gateway) -> None:
        if not await self._may("look", room):
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        url = join_url(room.state.code, self.scope)
        room.screens.add(self)
        room.consoles.add(self)
        self.enter(
            room,
            protocol.ConsoleWelcomed(
                now_at=gateway.now(),
                seq=room.seq,
                join_url=url,
                state=room.state,
                display_key=projector_key(room.state.code),
            ),
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

    async def converse(self, receive: Receive) -> None:
        """As any socket's, but who is logged out meanwhile does not go on looking."""
        watch = asyncio.create_task(self._leave_with_the_session())
        try:
            await super().converse(receive)
        finally:
            watch.cancel()

    async def _leave_with_the_session(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            with suppress(*DATABASE_AWAY):
                if self.room is not None and not await self._may("look", self.room):
                    self.end(CloseCode.NOT_ALLOWED)
                    return

    async def _may(self, right: Right, room: Room) -> bool:
        key = self.scope["session"].session_key
        return bool(await database_sync_to_async(may)(key, room.event_id, right))

    async def _obey(self, ask: ActionAsk, room: Room) -> None:
        """Raises MatchError, GameError, and what box and database raise."""
        if not await self._may(NEEDED[ask.action], room):
            self.tell(protocol.ActionRefused(id=ask.id, text="You may not do this."))
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        await database_sync_to_async(_act)(room.event_id, ask)
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
        now=gateway().now,
    )


def _act(event_id: int, ask: ActionAsk) -> None:
    if ask.action == "rehearsal.start":
        check_door(event_id)
    elif ask.action != "rehearsal.stop":
        act(event_id, ask, ballot_box())

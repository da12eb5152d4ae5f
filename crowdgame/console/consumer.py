"""A control room: an organizer's presses, each answered, and told to every control room of the event."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from channels.db import database_sync_to_async
from redis import RedisError

from crowdgame.console.control import act
from crowdgame.console.people_search import find_people
from crowdgame.events.audit import Done, keep_deed, latest_deeds
from crowdgame.events.rights import NEEDED, Standing, standing
from crowdgame.rehearsal.dry_runs import DryRuns, Stage, check_door, stop_dry_run
from crowdgame.rehearsal.lease import playbill
from games.engine.errors import GameError
from games.matches import MatchError
from voting import protocol
from voting.admission.admission import projector_key
from voting.admission.links import join_url
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import DATABASE_AWAY
from voting.gateway.event_room import Room
from voting.gateway.gateway import Gateway, gateway
from voting.gateway.socket import CloseSocket, Receive, SocketConsumer
from voting.protocol import ActionAsk, CloseCode, ConsoleJoin, PeopleAsk, Pressed

log = logging.getLogger(__name__)

LOOK_AGAIN_S = 15.0

NOT_ALLOWED = "You may not do this."

ballot_box = cache(BallotBox)
dry_runs = cache(DryRuns)


@dataclass(frozen=True, slots=True)
class Press:
    """Of an organizer who may do it; `at` is the ballot box's time."""

    event_id: int
    by: str
    ask: ActionAsk
    at: int


class ConsoleConsumer(SocketConsumer):
    kind: ClassVar = "console"
    messages: ClassVar = protocol.ConsoleMessage
    _role: protocol.Role = "viewer"

    async def join(self, message: ConsoleJoin, room: Room, gateway: Gateway) -> None:
        who = await self._standing(room)
        if who is None:
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        deeds = await database_sync_to_async(latest_deeds)(room.event_id)
        self._role = who.role
        room.screens.add(self)
        room.consoles.add(self)
        code = room.state.code
        self.enter(
            room,
            protocol.ConsoleWelcomed(
                now_at=gateway.now(),
                seq=room.seq,
                join_url=join_url(room.state, self.scope),
                state=room.state,
                display_key=projector_key(code) if who.may("run") else None,
                role=who.role,
                deeds=deeds,
            ),
        )
        await self._tell_deeds_since(deeds, room)

    async def _tell_deeds_since(self, known: tuple[protocol.Deed, ...], room: Room) -> None:
        """Those told while this room was not among those that hear of them."""
        for deed in reversed(await database_sync_to_async(latest_deeds)(room.event_id)):
            if deed not in known:
                self.tell(protocol.DeedTold(deed=deed))

    async def hear(self, message: ConsoleJoin | ActionAsk | PeopleAsk, room: Room) -> None:
        if isinstance(message, ConsoleJoin):
            self.tell(protocol.ErrorTold(code="joined_already", text="one join a socket"))
            return
        if isinstance(message, PeopleAsk):
            await self._look_up(message, room)
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

    async def _look_up(self, ask: PeopleAsk, room: Room) -> None:
        """Who only looks on is told of nobody."""
        with suppress(*DATABASE_AWAY):  # the next letter asks again
            who = await self._standing(room)
            if who is None or not who.may("run"):
                self.tell(protocol.PeopleTold(query=ask.query, skip=ask.skip, total=0, people=()))
            else:
                look_up = database_sync_to_async(find_people)
                self.tell(await look_up(room.event_id, ask.query, ask.skip))

    async def converse(self, receive: Receive) -> None:
        """As any socket's, but who is logged out meanwhile does not go on looking."""
        watch = asyncio.create_task(self._look_again())
        try:
            await super().converse(receive)
        finally:
            watch.cancel()

    async def _look_again(self) -> None:
        """Who has another role by now comes in anew."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            with suppress(*DATABASE_AWAY):
                who = await self._standing(self.room) if self.room else None
                if self.room is not None and (who is None or who.role != self._role):
                    self.end(CloseCode.NOT_ALLOWED if who is None else CloseCode.UNAVAILABLE)
                    return

    async def _standing(self, room: Room) -> Standing | None:
        key = self.scope["session"].session_key
        found: Standing | None = await database_sync_to_async(standing)(key, room.event_id)
        return found

    async def _obey(self, ask: ActionAsk, room: Room) -> None:
        """Raises MatchError, GameError, and what box and database raise."""
        who = await self._standing(room)
        if who is None:
            self.tell(protocol.ActionRefused(id=ask.id, text=NOT_ALLOWED))
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        if not who.may(NEEDED[ask.action]):
            raise MatchError(NOT_ALLOWED)
        press = Press(room.event_id, who.name, ask, gateway().now())
        if ask.action not in {"rehearsal.start", "rehearsal.stop"}:
            await database_sync_to_async(_act)(press)
            return
        done = await self._rehearse(ask, room)
        await database_sync_to_async(_keep)(press, done)

    async def _rehearse(self, ask: ActionAsk, room: Room) -> Done:
        if ask.action == "rehearsal.stop":
            await stop_dry_run(room.event_id, playbill(gateway().box))
            return Done("sent the simulated crowd home", Pressed(action="rehearsal.stop"))
        await database_sync_to_async(check_door)(room.event_id)
        await dry_runs().start(_stage(room), self.scope["server"], ask.phones)
        what = f"sent {ask.phones or 1} simulated phones in"
        return Done(what, Pressed(action="rehearsal.start"), Pressed(action="rehearsal.stop"))


def _act(press: Press) -> None:
    """In one go: what was done is kept, whatever becomes of the socket."""
    _keep(press, act(press.event_id, press.ask, ballot_box()))


def _keep(press: Press, done: Done) -> None:
    try:
        keep_deed(press.event_id, press.by, done, press.at)
    except DATABASE_AWAY as trouble:  # it is done all the same
        log.error("a deed is not kept: %s", trouble, extra={"event": press.event_id})


def _stage(room: Room) -> Stage:
    return Stage(
        room.event_id,
        room.state.code,
        playbill(gateway().box),
        draining=lambda: gateway().retry_ms is not None,
        now=gateway().now,
    )

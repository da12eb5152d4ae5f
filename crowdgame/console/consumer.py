"""WebSocket consumer of the console.

Runs organizer actions, replies to each, and sends their audit entries to all consoles of the event.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from channels.db import database_sync_to_async
from redis import RedisError

from crowdgame.console.control import run_action
from crowdgame.console.people_search import find_people
from crowdgame.events.audit import ActionResult, add_audit_entry, latest_audit_entries
from crowdgame.events.permissions import REQUIRED_PERMISSIONS, OrganizerAccess, find_access
from crowdgame.rehearsal.dry_run_lease import dry_run_lease
from crowdgame.rehearsal.dry_runs import DryRunContext, DryRuns, check_lobby_open, stop_dry_run
from games.engine.errors import GameError
from games.matches import MatchError
from voting import protocol
from voting.admission.admission import projector_key
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway, gateway
from voting.gateway.socket import CloseSocket, Receive, SocketConsumer
from voting.protocol import ActionAsk, CloseCode, ConsoleJoin, PeopleAsk, Pressed

log = logging.getLogger(__name__)

RECHECK_S = 15.0

NOT_ALLOWED = "You don't have permission to do this."

ballot_box = cache(BallotBox)
dry_runs = cache(DryRuns)


@dataclass(frozen=True, slots=True)
class OrganizerAction:
    """An action by an organizer with the required right. `at` is ballot box time in milliseconds."""

    event_id: int
    by: str
    ask: ActionAsk
    at: int


class ConsoleConsumer(SocketConsumer):
    """The socket of one organizer with a role in the event. Each action checks the role again."""

    kind: ClassVar = "console"
    messages: ClassVar = protocol.ConsoleMessage
    _role: protocol.Role = "viewer"

    async def join(self, message: ConsoleJoin, room: EventRoom, gateway: Gateway) -> None:
        who = await self._load_access(room)
        if who is None:
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        audit = await database_sync_to_async(latest_audit_entries)(room.event_id)
        self._role = who.role
        room.screens.add(self)
        room.consoles.add(self)
        code = room.state.code
        self.enter_room(
            room,
            protocol.ConsoleWelcomed(
                now_at=gateway.now(),
                seq=room.seq,
                join_url=room.join_url(self.scope),
                state=room.state,
                display_key=projector_key(code) if who.may("run") else None,
                role=who.role,
                audit=audit,
            ),
        )
        await self._send_entries_since(audit, room)

    async def _send_entries_since(self, known: tuple[protocol.AuditEntry, ...], room: EventRoom) -> None:
        """Send the entries logged between reading `known` and subscribing to the room, oldest first."""
        for entry in reversed(await database_sync_to_async(latest_audit_entries)(room.event_id)):
            if entry not in known:
                self.send(protocol.AuditLogged(entry=entry))

    async def handle_message(self, message: ConsoleJoin | ActionAsk | PeopleAsk, room: EventRoom) -> None:
        if isinstance(message, ConsoleJoin):
            self.send(protocol.Error(code="joined_already", text="one join per socket"))
            return
        if isinstance(message, PeopleAsk):
            await self._search_people(message, room)
            return
        try:
            await self._run_action(message, room)
        except (MatchError, GameError) as refusal:
            self.send(protocol.ActionRefused(id=message.id, text=str(refusal)))
        except (RedisError, OSError, *DATABASE_ERRORS):
            text = "The ballot box or the database is not responding. Try again."
            self.send(protocol.ActionRefused(id=message.id, text=text))
        else:
            self.send(protocol.ActionDone(id=message.id))

    async def _search_people(self, ask: PeopleAsk, room: EventRoom) -> None:
        """Reply with the matching people. Viewers, who lack the right `run`, get an empty result."""
        with suppress(*DATABASE_ERRORS):  # the next keystroke searches again
            who = await self._load_access(room)
            if who is None or not who.may("run"):
                self.send(protocol.PeopleFound(query=ask.query, skip=ask.skip, total=0, people=()))
            else:
                look_up = database_sync_to_async(find_people)
                self.send(await look_up(room.event_id, ask.query, ask.skip))

    async def run(self, receive: Receive) -> None:
        """Run the socket and recheck the organizer's role meanwhile, so that a logout closes it."""
        watch = asyncio.create_task(self._recheck_role())
        try:
            await super().run(receive)
        finally:
            watch.cancel()

    async def _recheck_role(self) -> None:
        """Every RECHECK_S, close the socket if the role was revoked or changed.

        After a change the client reconnects and joins with its new role.
        """
        while True:
            await asyncio.sleep(RECHECK_S)
            with suppress(*DATABASE_ERRORS):
                who = await self._load_access(self.room) if self.room else None
                if self.room is not None and (who is None or who.role != self._role):
                    self.end(CloseCode.NOT_ALLOWED if who is None else CloseCode.UNAVAILABLE)
                    return

    async def _load_access(self, room: EventRoom) -> OrganizerAccess | None:
        key = self.scope["session"].session_key
        found: OrganizerAccess | None = await database_sync_to_async(find_access)(key, room.event_id)
        return found

    async def _run_action(self, ask: ActionAsk, room: EventRoom) -> None:
        """Check the right and run the action. Raises MatchError, GameError, and box and database errors."""
        who = await self._load_access(room)
        if who is None:
            self.send(protocol.ActionRefused(id=ask.id, text=NOT_ALLOWED))
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        if not who.may(REQUIRED_PERMISSIONS[ask.action]):
            raise MatchError(NOT_ALLOWED)
        press = OrganizerAction(room.event_id, who.name, ask, gateway().now())
        if ask.action not in {"rehearsal.start", "rehearsal.stop"}:
            await database_sync_to_async(_run_and_log)(press)
            return
        done = await self._rehearse(ask, room)
        await database_sync_to_async(_log_action)(press, done)

    async def _rehearse(self, ask: ActionAsk, room: EventRoom) -> ActionResult:
        if ask.action == "rehearsal.stop":
            await stop_dry_run(room.event_id, dry_run_lease(gateway().box))
            return ActionResult("stopped the rehearsal", Pressed(action="rehearsal.stop"))
        await database_sync_to_async(check_lobby_open)(room.event_id)
        await dry_runs().start(_stage(room), self.scope["server"], ask.phones)
        what = f"started a rehearsal with {ask.phones or 1} simulated phones"
        return ActionResult(what, Pressed(action="rehearsal.start"), Pressed(action="rehearsal.stop"))


def _run_and_log(press: OrganizerAction) -> None:
    """Run and log in one thread call, so that the action is logged even if the socket closes."""
    _log_action(press, run_action(press.event_id, press.ask, ballot_box()))


def _log_action(press: OrganizerAction, done: ActionResult) -> None:
    try:
        add_audit_entry(press.event_id, press.by, done, press.at)
    except DATABASE_ERRORS as error:  # the action itself succeeded
        log.error("audit entry not stored: %s", error, extra={"event": press.event_id})


def _stage(room: EventRoom) -> DryRunContext:
    return DryRunContext(
        room.event_id,
        room.state.code,
        dry_run_lease(gateway().box),
        draining=lambda: gateway().retry_ms is not None,
        now=gateway().now,
    )

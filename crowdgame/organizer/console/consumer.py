"""WebSocket consumer of the console.

Runs organizer actions, replies to each, and keeps the console's audit log up to date.
"""

import asyncio
from contextlib import suppress
from functools import cache
from typing import ClassVar

from channels.db import database_sync_to_async
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from crowdgame.events.permissions import OrganizerAccess, find_access
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.console.actions.registry import CurrentState
from crowdgame.organizer.console.actions.rehearsal import DryRunHost
from crowdgame.organizer.console.audit_log import list_audit_entries
from crowdgame.organizer.console.control import NOT_ALLOWED, perform
from crowdgame.organizer.console.people_search import NO_VOTE, OpenVote, find_people
from crowdgame.rehearsal.dry_run_lease import DryRunContext, dry_run_lease
from crowdgame.server.web.languages import connection_language
from games.engine.errors import GameError
from voting import protocol
from voting.admission.admission import projector_key
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import DATABASE_ERRORS, STORE_ERRORS
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import gateway
from voting.gateway.socket import MALFORMED, CloseSocket, Handling, Scope, SocketConsumer
from voting.gateway.threads import in_database
from voting.matches import MatchError
from voting.protocol import ActionAsk, ActionUndo, CloseCode, ConsoleJoin, PeopleAsk

AUDIT_POLL_S = 1.0

ballot_box = cache(BallotBox)


class ConsoleConsumer(SocketConsumer):
    """The socket of one organizer with a role in the event. Each action checks the role again."""

    kind: ClassVar = "console"
    messages: ClassVar = protocol.ConsoleMessage
    _role = protocol.Role.VIEWER
    _audit: tuple[protocol.AuditEntry, ...] = ()
    _user_id = 0
    _display_key_version = 0

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._scope = scope
        self._watches: tuple[asyncio.Task[None], ...] = ()
        self._role_changed = asyncio.Event()
        self._language = connection_language(scope)

    async def join(self, message: ConsoleJoin, room: EventRoom) -> None:
        versions = _role_and_key_versions(room)
        who = await self._load_access(room)
        if who is None:
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        audit = await self._list_audit_entries(room)
        if versions != _role_and_key_versions(room):  # the client joins again
            raise CloseSocket(CloseCode.UNAVAILABLE)
        self._role, self._user_id, self._audit = who.role, who.user_id, audit
        room.sockets.add_console(self)
        self._welcome(room)
        # While the socket is open, they recheck the organizer's role and update the audit log.
        watches = self._watch_role(room), self._watch_audit_log(room)
        self._watches = tuple(asyncio.create_task(watch) for watch in watches)

    def _welcome(self, room: EventRoom) -> None:
        """Send the welcome, again after the display key was replaced."""
        state, self._display_key_version = room.state, room.state.display_key_version
        may_run = self._role != protocol.Role.VIEWER
        self.enter_room(
            room,
            protocol.ConsoleWelcomed(
                now_at=room.now(),
                seq=room.seq,
                join_url=room.join_url(self._scope),
                state=state,
                display_key=projector_key(state.code, state.display_key_version) if may_run else None,
                role=self._role,
                audit=self._audit,
            ),
        )

    def handle_joined(
        self, message: ConsoleJoin | ActionAsk | ActionUndo | PeopleAsk, room: EventRoom
    ) -> Handling | None:
        if isinstance(message, ConsoleJoin):
            self.send(protocol.Error(code="joined_already", text="one join per socket"))
        elif isinstance(message, PeopleAsk):
            return self._search_people(message, room)
        elif isinstance(message, ActionAsk) and message.action not in ACTIONS:
            self.send(MALFORMED)
        else:
            return self._handle_action(message, room)
        return None

    async def _handle_action(self, message: ActionAsk | ActionUndo, room: EventRoom) -> None:
        try:
            await self._perform(message, room)
        except (MatchError, GameError) as refusal:
            self.send(protocol.ActionRefused(id=message.id, text=str(refusal)))
        except STORE_ERRORS:
            with override(self._language):
                text = _("The ballot box or the database is not responding. Try again.")
            self.send(protocol.ActionRefused(id=message.id, text=text))
        else:
            self.send(protocol.ActionDone(id=message.id))
            await self._send_audit_changes(room)

    async def _search_people(self, ask: PeopleAsk, room: EventRoom) -> None:
        """Reply with the matching people. Viewers, who lack the right `run`, get an empty result."""
        with suppress(*STORE_ERRORS):  # the next keystroke searches again
            who = await self._load_access(room)
            if who is None or not who.may("run"):
                self.send(protocol.PeopleFound(id=ask.id, people=(), more=""))
            else:
                look_up = database_sync_to_async(find_people)
                self.send(await look_up(room.event_id, ask, ballot_box(), _open_vote(room)))

    def leave(self) -> None:
        super().leave()
        for watch in self._watches:
            watch.cancel()

    def change_role(self, user_id: int) -> None:
        """Send nothing more and close if it is this organizer whose role has changed."""
        if self.room is not None and user_id == self._user_id:
            self.room.sockets.remove(self)
            self._role_changed.set()

    async def _watch_role(self, room: EventRoom) -> None:
        """Close the socket if the role was revoked or changed: when notified, or every CONSOLE_RECHECK_S.

        After a change the client reconnects and joins with its new role.
        """
        while not self._role_changed.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._role_changed.wait(), settings.CONSOLE_RECHECK_S)
            with suppress(*DATABASE_ERRORS):
                await self._has_role(room)
        self.end(CloseCode.UNAVAILABLE)

    async def _has_role(self, room: EventRoom) -> bool:
        """Whether the organizer still has this socket's role. If not, close the socket.

        Raises one of DATABASE_ERRORS.
        """
        who = await self._load_access(room)
        if who is None or who.role != self._role:
            room.sockets.remove(self)
            self.end(CloseCode.NOT_ALLOWED if who is None else CloseCode.UNAVAILABLE)
        return self in room.sockets.consoles

    async def _load_access(self, room: EventRoom) -> OrganizerAccess | None:
        key = self._scope["session"].session_key
        found: OrganizerAccess | None = await database_sync_to_async(find_access)(key, room.event_id)
        return found

    async def _perform(self, message: ActionAsk | ActionUndo, room: EventRoom) -> None:
        """Check the right and run the action. Raises MatchError, GameError, and box and database errors."""
        who = await self._load_access(room)
        if who is None:
            with override(self._language):
                self.send(protocol.ActionRefused(id=message.id, text=str(NOT_ALLOWED)))
            raise CloseSocket(CloseCode.NOT_ALLOWED)
        loop, server = asyncio.get_running_loop(), self._scope["server"]
        host = DryRunHost(loop, _dry_run_context(room), server, _is_rehearsing(room))
        with override(self._language):
            await database_sync_to_async(perform)(who, room.event_id, message, ballot_box(), host)

    async def _watch_audit_log(self, room: EventRoom) -> None:
        """Every AUDIT_POLL_S, send the entries that are new, or that can be undone no longer.

        After a change of the display key, send a new welcome.
        """
        while True:
            await asyncio.sleep(AUDIT_POLL_S)
            await self._send_audit_changes(room)
            await self._send_new_display_key(room)

    async def _send_new_display_key(self, room: EventRoom) -> None:
        """Send the key if it is new. The role is checked after the key is known: a co-host may be removed,
        and the key replaced, before the gateway is notified of the removal.
        """
        versions = _role_and_key_versions(room)
        if room.state.display_key_version != self._display_key_version:
            with suppress(*DATABASE_ERRORS):  # the next poll tries again
                if await self._has_role(room) and versions == _role_and_key_versions(room):
                    self._welcome(room)

    async def _list_audit_entries(self, room: EventRoom) -> tuple[protocol.AuditEntry, ...]:
        listed: tuple[protocol.AuditEntry, ...] = await in_database(list_audit_entries)(
            room.event_id, _current_state(room), self._language
        )
        return listed

    async def _send_audit_changes(self, room: EventRoom) -> None:
        with suppress(*DATABASE_ERRORS):  # the next poll tries again
            audit = await self._list_audit_entries(room)
            changed = tuple(entry for entry in audit if entry not in self._audit)
            if changed and await self._has_role(room):
                self._audit = audit
                self.send(protocol.AuditUpdated(entries=changed))


def _role_and_key_versions(room: EventRoom) -> tuple[int, int]:
    return room.sockets.role_changes, room.state.display_key_version


def _is_rehearsing(room: EventRoom) -> bool:
    return room.last_sent.rehearsal is not None and room.last_sent.rehearsal.running


def _open_vote(room: EventRoom) -> OpenVote:
    """Return the vote whose window has opened and whose result is not known yet."""
    poll, turn = room.poll, room.turn
    if poll is None or turn is None or room.now() < turn.opens_at or (turn.paused and turn.talk_ms):
        return NO_VOTE
    return OpenVote(turn.id, frozenset(poll.legal), room.shards)


def _current_state(room: EventRoom) -> CurrentState:
    return CurrentState(room.state, room.now(), _is_rehearsing(room))


def _dry_run_context(room: EventRoom) -> DryRunContext:
    return DryRunContext(
        room.event_id,
        room.state.code,
        dry_run_lease(gateway().box),
        draining=lambda: gateway().retry_ms is not None,
        now=room.now,
    )

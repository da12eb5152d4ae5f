"""Side change queue of an event: commits phones' side changes in batches, then notifies the voters.

Requests that arrive during a transaction go into the next batch. Only the voter's own sockets are notified.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol

import msgspec

from voting import protocol
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.counting.side_changes import SideChange
from voting.gateway.event_room import EventRoom
from voting.gateway.voters import ConnectedVoter
from voting.turns.side_change_store import (
    SideChangeAnswer,
    SideChangeRequest,
    change_sides,
    load_side_changes_after,
)

log = logging.getLogger(__name__)

SIDE_CHANGE_BATCH = 200
MAX_QUEUED = 20_000

# Wraps a function to run it in a thread that may use the database.
InDatabase = Callable[[Callable[..., Any]], Callable[..., Awaitable[Any]]]


class SideChangeAsker(Protocol):
    def send(self, message: msgspec.Struct) -> None: ...


class SideChangeQueue:
    """The queue of one event at one gateway. `now` returns the ballot box's time in milliseconds."""

    def __init__(self, room: EventRoom, in_database: InDatabase, now: Callable[[], int]) -> None:
        self._room = room
        self._in_database = in_database
        self._now = now
        self._waiting: list[tuple[SideChangeAsker, SideChangeRequest]] = []
        self._task: asyncio.Task[None] | None = None

    def take(self, asker: SideChangeAsker, request: SideChangeRequest) -> None:
        """Queue a request. The asker gets SideChanged or SideRefused (`not_offered`, `busy`, …)."""
        match = self._room.state.match
        if match is None or not match.max_side_changes:
            _refuse(asker, request, "not_offered")
        elif len(self._waiting) >= MAX_QUEUED:
            _refuse(asker, request, "busy")
        else:
            self._waiting.append((asker, request))
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._answer_all())

    async def _answer_all(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[:SIDE_CHANGE_BATCH], self._waiting[SIDE_CHANGE_BATCH:]
            try:
                answers = await self._write_batch([request for _, request in some])
            except DATABASE_ERRORS as error:
                log.warning("could not store side changes: %s", error, extra={"event": self._room.event_id})
                answers = ["busy"] * len(some)
            for (asker, request), answer in zip(some, answers, strict=True):
                if answer != "changed":
                    _refuse(asker, request, answer)
                else:
                    asker.send(build_side_changed(self._room, request.voter))

    async def _write_batch(self, requests: list[SideChangeRequest]) -> list[SideChangeAnswer]:
        """Commit a batch, then send the changes to the voters' sockets. Raises one of DATABASE_ERRORS."""
        room = self._room
        answers: list[SideChangeAnswer] = await self._in_database(change_sides)(
            room.event_id, requests, self._now
        )
        if match := room.state.match:
            room.side_changes.reset_for_match(match.id)
            asked = room.side_changes.last
            last, side_changes = await self._in_database(load_side_changes_after)(match.id, asked)
            room.side_changes.advance(asked, last)
            send_side_changes(room, side_changes)
        return answers


def _refuse(asker: SideChangeAsker, request: SideChangeRequest, code: protocol.SideRefusal) -> None:
    asker.send(protocol.SideRefused(number=request.number, code=code))


def list_side_changes(room: EventRoom, voter: ConnectedVoter) -> tuple[protocol.AcceptedSideChange, ...]:
    return build_side_changed(room, voter.seat.voter).side_changes


def build_side_changed(room: EventRoom, voter: str) -> protocol.SideChanged:
    match = room.state.match
    own = room.side_changes.changes_by(voter) if match and match.id == room.side_changes.match else []
    side_changes = (protocol.AcceptedSideChange(turn=one.turn, team=room.team_of(one.side)) for one in own)
    return protocol.SideChanged(side_changes=tuple(side_changes))


def send_side_changes(room: EventRoom, side_changes: Iterable[SideChange]) -> None:
    """Send each voter connected here the updated list of its side changes, if it is new."""
    for name in room.side_changes.observe(side_changes):
        voter = room.voters.get(name)
        if voter:
            frame = msgspec.json.encode(build_side_changed(room, name)).decode()
            for socket in tuple(voter.sockets):
                socket.write(frame)

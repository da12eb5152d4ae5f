"""Side change queue of an event: commits phones' side changes in batches, then notifies the voters.

Requests that arrive during a transaction go into the next batch. Only the voter's own sockets are notified.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import msgspec

from voting import protocol
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway.live_event import LiveEvent
from voting.gateway.side_change_log import SideChangeLog
from voting.gateway.text_frames import encode
from voting.gateway.threads import in_database
from voting.gateway.voters import ConnectedVoter
from voting.metrics.metrics import count_refusal
from voting.turns.side_change_store import (
    SideChangeAnswer,
    SideChangeRequest,
    change_sides,
    load_side_changes_after,
)

log = logging.getLogger(__name__)

SIDE_CHANGE_BATCH = 200
MAX_QUEUED = 20_000


class SideChangeAsker(Protocol):
    def send(self, message: msgspec.Struct) -> None: ...


class SideChangeQueue:
    """The queue of one event at one gateway, and the log of the side changes accepted so far.

    `voters` are the connected voters by id. `now` returns the ballot box's time in milliseconds.
    """

    def __init__(
        self, event: LiveEvent, voters: Mapping[str, ConnectedVoter], now: Callable[[], int]
    ) -> None:
        self.log = SideChangeLog()
        self._event = event
        self._voters = voters
        self._now = now
        self._waiting: list[tuple[SideChangeAsker, SideChangeRequest]] = []
        self._task: asyncio.Task[None] | None = None

    def take(self, asker: SideChangeAsker, request: SideChangeRequest) -> None:
        """Queue a request. The asker gets SideChanged or SideRefused (`not_offered`, `busy`, …)."""
        match = self._event.state.match
        if match is None or not match.max_side_changes:
            _refuse(asker, request, "not_offered")
        elif len(self._waiting) >= MAX_QUEUED:
            count_refusal("change")
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
                log.warning("could not store side changes: %s", error, extra={"event": self._event.event_id})
                answers = ["busy"] * len(some)
            for (asker, request), answer in zip(some, answers, strict=True):
                if answer != "changed":
                    _refuse(asker, request, answer)
                else:
                    side_changes = self.accepted_changes(request.voter)
                    asker.send(protocol.SideChanged(side_changes=side_changes))

    async def _write_batch(self, requests: list[SideChangeRequest]) -> list[SideChangeAnswer]:
        """Commit a batch, then send the changes to the voters' sockets. Raises one of DATABASE_ERRORS."""
        answers: list[SideChangeAnswer] = await in_database(change_sides)(
            self._event.event_id, requests, self._now
        )
        await self.sync()
        return answers

    async def sync(self) -> None:
        """Load the side changes accepted since, at any gateway, and send them to their voters.

        Raises one of DATABASE_ERRORS.
        """
        match, log = self._event.state.match, self.log
        if match is None or not match.max_side_changes:
            return
        log.reset_for_match(match.id)
        asked = log.last
        last, side_changes = await in_database(load_side_changes_after)(match.id, asked)
        if log.match == match.id:
            log.advance(asked, last)
            self._send(log.observe(side_changes))

    def _send(self, changed: Iterable[str]) -> None:
        """Send each of these voters who is connected here the list of its own side changes."""
        for voter in [self._voters[voter_id] for voter_id in changed if voter_id in self._voters]:
            side_changes = self.accepted_changes(voter.seat.voter)
            frame = encode(protocol.SideChanged(side_changes=side_changes))
            for socket in tuple(voter.sockets):
                socket.write(frame)

    def accepted_changes(self, voter_id: str) -> tuple[protocol.AcceptedSideChange, ...]:
        """A voter's side changes in the current match."""
        event = self._event
        match = event.state.match
        own = self.log.changes_by(voter_id) if match and match.id == self.log.match else []
        return tuple(protocol.AcceptedSideChange(turn=one.turn, team=event.team_of(one.side)) for one in own)


def _refuse(asker: SideChangeAsker, request: SideChangeRequest, code: protocol.SideRefusal) -> None:
    asker.send(protocol.SideRefused(number=request.number, code=code))

"""Gateways and phones for tests of recovery. Nothing runs in the background: the test makes each step."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from tests.voting.gateway_helpers import FakeSocket, end
from voting import protocol
from voting.announcements.channel_layer import LayerMessage
from voting.ballot_box.ballot_box import NOTHING, BallotBox
from voting.ballot_box.box_types import BoxedTurn, CastResult, Prefetched, Sealed
from voting.ballot_box.intake import Slot
from voting.counting.ballots import Ballot
from voting.gateway.event_lookup import load_event
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway
from voting.gateway.live_event import LiveEvent
from voting.models import Turn
from voting.turns.closing import close_turn


class Crash(Exception):
    """The process that closes a turn died."""


class InterruptedBox(BallotBox):
    """The ballot box of a process to which something happens right after it sealed a turn."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__()
        self.then = then

    def seal_all(self, turns: Sequence[BoxedTurn], prefetched: Prefetched = NOTHING) -> Any:
        answers = super().seal_all(turns, prefetched)
        if any(isinstance(answer, Sealed) for answer in answers.values()):
            self.then()
        return answers


def close_and_then(turn: Turn, then: Callable[[], object]) -> None:
    """Close the turn in a process to which something happens right after it published a seal."""
    with closing(BallotBox()) as box, pytest.MonkeyPatch.context() as patched:
        renew = box.closing_lease.renew
        patched.setattr(box.closing_lease, "renew", lambda *ids, **work: (renew(*ids, **work), then()))
        close_turn(turn.pk, box)


@dataclass(eq=False)
class Phone:
    """A phone that repeats its ballot as `frontend/src/phone/ballot/ballot.ts` does.

    `acknowledged` are its ballots of this turn that were acknowledged, oldest first, the last one by the
    gateway `witness`. `is_safe`: that one must be in the tally. `is_stored`: it is in the database, too,
    because the window `is_long`.
    """

    voter: str
    team: int
    turn_ref: tuple[int, int] = (0, 0)
    ballot: Ballot | None = None
    is_pending: bool = False
    acknowledged: list[Ballot] = field(default_factory=list)
    gateway: "SteppedGateway | None" = None
    witness: "SteppedGateway | None" = None
    is_long: bool = False
    is_safe: bool = False
    is_stored: bool = False

    def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
        assert code > 0, "the box has a ballot that the phone never sent"
        self.is_pending = code in {CastResult.UNKNOWN, CastResult.EARLY}
        if code in {CastResult.OK, CastResult.DUPLICATE}:
            self.acknowledged.append(ballot)
            self.witness, self.is_safe, self.is_stored = self.gateway, True, self.is_long

    def follow(self, turn_ref: tuple[int, int]) -> None:
        """Clear the ballot in a new turn, repeat it in a new epoch."""
        if turn_ref[0] != self.turn_ref[0]:
            self.ballot, self.acknowledged, self.is_safe, self.is_stored = None, [], False, False
        self.is_pending = self.ballot is not None and (self.is_pending or turn_ref != self.turn_ref)
        self.turn_ref = turn_ref


class SteppedGateway:
    """A gateway without its background tasks, its phones, and a screen that records the announcements."""

    def __init__(self, gateway: Gateway, room: EventRoom, phones: Sequence[Phone]) -> None:
        self.gateway, self.room, self.phones = gateway, room, phones
        self.screen, self.first_seq = FakeSocket(), room.seq + 1
        room.sockets.screens.add(self.screen)

    @classmethod
    async def start(cls, code: str, phones: Sequence[Phone]) -> "SteppedGateway":
        """Start a gateway, to which the phones connect; they repeat what the ballot box does not have."""
        gateway = Gateway()
        await end(gateway._tasks)
        room = await gateway.room(code)
        assert room is not None
        started = cls(gateway, room, phones)
        for phone in phones:
            phone.gateway = started
            held = await gateway.box.load_ballots(room.event_id, phone.turn_ref[0], [phone.voter])
            if phone.ballot in phone.acknowledged and phone.ballot not in map(without_arrival, held.values()):
                phone.is_pending = True
        await started.send_pending()
        return started

    async def vote(self, choices: Sequence[int]) -> None:
        """Each phone chooses a column if that is legal, 0 for none."""
        for phone, choice in zip(self.phones, choices, strict=True):
            if self.room.poll and choice in self.room.poll.legal.get(phone.team, ()):
                side = self.room.poll.sides[phone.team]
                sequence = phone.ballot.sequence + 1 if phone.ballot else 1
                phone.ballot = Ballot(phone.voter, side, choice, sequence, blind=f"{sequence:032x}")
                phone.is_pending = True
        await self.send_pending()

    async def send_pending(self) -> None:
        poll = self.room.poll
        for phone in self.phones:
            phone.follow(self.room.turn_ref)
            if poll and phone.ballot and phone.is_pending:
                (turn, epoch), ballot = phone.turn_ref, phone.ballot
                message = protocol.BallotCast(turn, epoch, ballot.choice, ballot.sequence)
                now, voted = self.gateway.now(), bool(phone.acknowledged)
                if poll.refusal(phone.team, message, now, voted=voted) is None:
                    poll.queue_for(ballot.voter).add(ballot, phone)
        await self.gateway.intake.wait_until_empty()

    async def receive(self, copy: LayerMessage) -> None:
        await self.gateway.subscriber.receive(self.room, copy)
        await self.send_pending()

    async def poll(self) -> None:
        await self.gateway.subscriber.catch_up_all()
        await self.send_pending()

    async def heartbeat(self) -> None:
        room, name = self.room, self.gateway.name
        await self.gateway.box.heartbeat(room.event_id, name, room.turn_ref, room.presence_counts())

    def check(self) -> None:
        """The room equals a new one, and the screen got each announcement once, in order."""
        found = load_event(self.room.state.code)
        assert found is not None
        assert shown(self.room) == shown(LiveEvent(*found[:3], self.gateway.intake))
        assert self.screen.seqs == list(range(self.first_seq, self.room.seq + 1))
        assert self.screen.close_calls == []


def without_arrival(ballot: Ballot) -> Ballot:
    return replace(ballot, arrival=0)


def shown(event: LiveEvent) -> tuple[Any, ...]:
    poll = event.poll
    slots = poll and [queue.slot for queue in poll.queues]
    return event.state, event.seq, poll and (poll.sides, poll.legal, poll.opens_at, slots)

"""An intake with a ballot box, a store and senders under the test's control."""

import asyncio
from collections.abc import Sequence
from typing import Self

from redis import RedisError

from tests.voting.box_helpers import EVENT, TURN
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import CastReply
from voting.ballot_box.intake import Intake, Slot
from voting.ballot_box.shards import ONE_SHARD, Shard
from voting.counting.ballots import Ballot

WINDOW, OTHER_WINDOW = Slot(EVENT, TURN, 1), Slot(EVENT, TURN + 1, 1)


class RecordingBox(AsyncBallotBox):
    """Records batch sizes; the calls numbered in `away` fail, before or after the script ran."""

    def __init__(self, away: Sequence[int] = (), answer_lost: bool = False, alone: bool = True) -> None:
        super().__init__()
        self.away, self.answer_lost, self.alone = away, answer_lost, alone
        self.batches: list[int] = []
        self.in_flight = 0

    async def cast(
        self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot], shard: Shard = ONE_SHARD
    ) -> CastReply:
        assert not (self.alone and self.in_flight), "two calls are in flight"
        self.in_flight += 1
        self.batches.append(len(ballots))
        try:
            if len(self.batches) in self.away and not self.answer_lost:
                raise RedisError("away")
            answers = await super().cast(event_id, turn_id, epoch, ballots, shard)
            if len(self.batches) in self.away:
                raise RedisError("the answer was lost")
            return answers
        finally:
            self.in_flight -= 1


class FakeStore:
    """A store of ballots. Its first writes fail with these errors."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = [*errors]
        self.writes: list[list[Ballot]] = []
        self.written = asyncio.Event()

    async def store(self, turn_id: int, ballots: list[Ballot]) -> None:
        self.writes.append(ballots)
        self.written.set()
        if self.errors:
            raise self.errors.pop()

    @property
    def voters(self) -> list[list[str]]:
        return [[ballot.voter for ballot in ballots] for ballots in self.writes]


class Crowd:
    """Casts ballots into an intake and collects the answers."""

    def __init__(self, box: RecordingBox | None = None, store: FakeStore | None = None) -> None:
        self.box, self.store = box or RecordingBox(), store or FakeStore()
        self.intake = Intake(self.box, self.store.store)
        self.queue = self.intake.new_queue(WINDOW)
        self.answers: dict[tuple[str, int], list[int]] = {}
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.box.close()

    @property
    def codes(self) -> list[int]:
        return [code for codes in self.answers.values() for code in codes]

    def cast(self, *ballots: Ballot) -> None:
        for ballot in ballots:
            self.queue.add(ballot, self)

    def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
        assert slot == self.queue.slot or slot.turn_id == TURN
        self.answers.setdefault((ballot.voter, ballot.sequence), []).append(code)
        self._changed.set()

    async def answered(self, count: int) -> list[int]:
        async with asyncio.timeout(10):
            while len(self.codes) < count:
                self._changed.clear()
                await self._changed.wait()
        return self.codes


def voters(count: int) -> list[Ballot]:
    return [Ballot(f"w{i}", "red", 1, 1) for i in range(count)]

"""The Lua scripts in a real Valkey: a ballot counts once in an open window, and a seal is final."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from redis import Redis

from games.engine.game import SIDES
from tests.voting.ballot_strategies import cast_batches
from tests.voting.box_helpers import (
    HOUR_MS,
    R1,
    Y2,
    cast,
    numbered,
    over,
    running,
    seal,
    sealed,
    voted,
    with_arrival,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import MAX_BATCH, BoxedTurn, BoxLost, CastResult, TooEarly
from voting.counting.ballots import Ballot


@pytest.fixture(params=[1, 3])
def shards(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def counted(turn: BoxedTurn, batches: list[list[Ballot]]) -> tuple[list[list[int]], dict[str, Ballot]]:
    """The answers that these batches must get, and the ballots that count afterwards, by arrival."""
    answers, kept, arrival = list[list[int]](), dict[str, Ballot](), 0
    for batch in batches:
        answers.append([])
        for ballot in batch:
            earlier = kept.get(ballot.voter)
            if earlier is None or ballot.sequence > earlier.sequence:
                arrival += 1
                kept.pop(ballot.voter, None)
                kept[ballot.voter] = with_arrival(ballot, arrival)
                answers[-1].append(CastResult.OK)
            else:
                same = with_arrival(ballot, earlier.arrival) == earlier
                answers[-1].append(CastResult.DUPLICATE if same else -earlier.sequence)
    return answers, kept


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(cast_batches, max_size=4))
@example([[R1], [R1, Y2], [Ballot("v1", "yellow", 3, 1)], [Ballot("v1", "yellow", 3, 2), R1]])
def test_cast_keeps_newest_of_each_voter(box: BallotBox, shards: int, batches: list[list[Ballot]]) -> None:
    """With shards, ballots of a batch count in the order of their shards."""
    box.delete_all_events()
    turn = running(box, shards=shards)
    assert box.place(turn, create=True)
    batches = [[one for _, own in turn.split(batch) for one in own] for batch in batches]
    answers, kept = counted(turn, batches)
    assert [cast(turn, *batch) for batch in batches] == answers
    assert voted(shards) == tuple(sum(ballot.side == side for ballot in kept.values()) for side in SIDES)
    assert numbered(sealed(over(turn, box), box), shards) == numbered([*kept.values()], shards)


def test_box_is_created_only_on_request_and_takes_no_early_ballot(box: BallotBox) -> None:
    missing, now = running(box), box.now()
    assert cast(missing, R1) == [CastResult.UNKNOWN]
    assert not box.place(missing, create=False)
    assert isinstance(seal(box, missing), BoxLost)
    early = replace(missing, opens_at=now + HOUR_MS, closes_at=now + 2 * HOUR_MS)
    for create in (True, False):
        assert box.place(early, create=create)
    assert cast(early, R1) == [CastResult.EARLY]
    assert voted() == (0, 0)


def test_cast_after_deadline_is_late_unless_already_counted(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1)
    later = over(turn, box)
    revote = Ballot("v1", "red", 4, 2)
    assert cast(later, R1, Y2, revote) == [CastResult.DUPLICATE, CastResult.LATE, CastResult.LATE]
    assert numbered(sealed(later, box), turn.shard.total) == (with_arrival(R1, 1),)


def test_cast_with_newer_epoch_than_box_is_unknown(turn: BoxedTurn, box: BallotBox) -> None:
    assert cast(turn, R1, epoch=2) == [CastResult.UNKNOWN]
    box.place(replace(turn, version=2, epoch=2), create=True)
    assert [cast(turn, ballot, epoch=epoch) for ballot, epoch in ((R1, 2), (Y2, 1))] == [[CastResult.OK]] * 2


def test_cast_accepts_batch_of_maximum_size_and_splits_larger_ones(turn: BoxedTurn, box: BallotBox) -> None:
    crowd = [Ballot(f"v{i}", "red" if i % 3 else "yellow", i % 7 + 1, 1) for i in range(MAX_BATCH + 1)]
    assert cast(turn, *crowd[:-1]) == [CastResult.OK] * MAX_BATCH
    assert voted(turn.shard.total) == (1333, 667)
    box.cast(turn, crowd)
    held = sealed(over(turn, box), box)
    for _, own in turn.split(crowd):
        there = [ballot for ballot in held if ballot.voter in {voter.voter for voter in own}]
        assert numbered(there, turn.shard.total) == tuple(with_arrival(b, i) for i, b in enumerate(own, 1))


def test_cast_after_seal_is_late_despite_clock_step(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    later = over(turn, box)
    sealed(later, box)
    redis.hset(later.keys[0], "closes_at", box.now() + HOUR_MS)
    assert cast(later, R1) == [CastResult.LATE]
    assert sealed(later, box) == ()


def test_place_updates_and_unseals_only_with_newer_version(turn: BoxedTurn, box: BallotBox) -> None:
    newer = replace(turn, version=3, closes_at=turn.closes_at + 5_000)
    box.place(newer, create=False)
    assert box.place(replace(turn, version=2, closes_at=0), create=True)
    assert cast(newer, R1) == [CastResult.OK]
    assert seal(box, turn) == TooEarly(newer.closes_at)
    later = over(newer, box)
    assert len(sealed(later, box)) == 1
    box.place(replace(later, closes_at=newer.closes_at), create=True)
    assert cast(later, Y2) == [CastResult.LATE]
    box.place(replace(newer, version=later.version + 1), create=False)
    assert cast(newer, Y2) == [CastResult.OK]
    assert voted(turn.shard.total) == (1, 1)


def test_seal_updates_box_to_newer_version(turn: BoxedTurn, box: BallotBox) -> None:
    """Repairs a box whose deadline moved only in the database, because the process died."""
    cast(turn, R1)
    moved = replace(turn, version=2, closes_at=box.now())
    assert numbered(sealed(moved, box), turn.shard.total) == (with_arrival(R1, 1),)
    extended = replace(turn, version=3)
    assert seal(box, extended) == TooEarly(extended.closes_at)
    others = [Ballot(f"w{n}", "red", 1, 1) for n in range(9)]  # in all shards
    assert cast(extended, R1, *others) == [CastResult.DUPLICATE, *[CastResult.OK] * 9]
    assert seal(box, moved) == TooEarly(extended.closes_at)
    assert cast(extended, Y2) == [CastResult.OK]

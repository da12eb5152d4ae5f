from dataclasses import replace
from itertools import chain, islice
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from redis import Redis

from games.engine.game import SIDES
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
from voting.ballot_box.ballot_box import EXPIRE_AFTER_MS, BallotBox
from voting.ballot_box.box_types import MAX_BATCH, BoxedTurn, BoxLost, CastResult, Prefetched, TooEarly
from voting.ballot_box.sealed_lists import BATCH_BALLOTS, SEALED_AFTER_PREFETCH, SEALED_TO_CATCH_UP
from voting.counting.ballots import Ballot

voters = st.text("abcdef", min_size=1, max_size=2)
cast_ballots = st.builds(Ballot, voters, st.sampled_from(SIDES), st.integers(1, 7), st.integers(1, 4))
cast_batches = st.lists(cast_ballots, max_size=8)


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
@given(casts=st.tuples(*[st.lists(cast_batches, max_size=3)] * 3), batch_size=st.sampled_from([2, 5_000]))
@example(
    casts=(
        [[R1], [R1, Y2]],
        [[Ballot("v1", "yellow", 3, 1)], [Ballot("v1", "yellow", 3, 2), R1]],
        [[Ballot("v2", "red", 1, 2)], *([Ballot("v1", "red", 2, sequence)] for sequence in (3, 4))],
    ),
    batch_size=2,
)
def test_newest_ballot_of_each_voter_counts_also_with_prefetch(
    box: BallotBox,
    shards: int,
    monkeypatch: pytest.MonkeyPatch,
    casts: tuple[list[list[Ballot]], ...],
    batch_size: int,
) -> None:
    """Before and after the prefetch, and after it caught up.

    With shards, ballots of a batch count in the order of their shards.
    """
    read_in_batches(monkeypatch, of=batch_size)
    box.delete_all_events()
    turn = running(box, shards=shards)
    assert box.place(turn, create=True)
    batches = [[one for _, own in turn.split(batch) for one in own] for batch in chain(*casts)]
    answers, kept = counted(turn, batches)
    casting = (cast(turn, *batch) for batch in batches)
    given = list(islice(casting, len(casts[0])))
    prefetched = box.prefetch(turn)
    given += islice(casting, len(casts[1]))
    prefetched = box.catch_up(turn, prefetched)
    assert [*given, *casting] == answers
    assert voted(shards) == tuple(sum(ballot.side == side for ballot in kept.values()) for side in SIDES)
    later = over(turn, box)
    assert numbered(sealed(later, box), shards) == numbered([*kept.values()], shards)
    assert sealed(later, box, prefetched) == sealed(later, box)
    assert uses(prefetched, later, box)


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
    later = over(extended, box)
    again: Any = seal(box, later)
    assert again.sealed_at >= later.closes_at, "not the time of the first seal"


def read_in_batches(monkeypatch: pytest.MonkeyPatch, *, of: int) -> None:
    for module in ("ballot_box", "sealed_lists"):
        monkeypatch.setattr(f"voting.ballot_box.{module}.BATCH_BALLOTS", of)


def uses(prefetched: Prefetched, turn: BoxedTurn, box: BallotBox) -> bool:
    """Whether the seal of Y2's shard leaves it to the caller to know the prefetched ballots."""
    [(part, _)] = turn.split([Y2])
    args = prefetched.token, BATCH_BALLOTS, prefetched.arrivals_read_of(part)
    status, *_ = box._seal(keys=part.keys, args=(*part.window, *args))
    return bool(status == SEALED_AFTER_PREFETCH)


def test_large_list_in_batches(turn: BoxedTurn, box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while ballots arrive and change. Ballots that are missing since the seal are noticed."""
    crowd = [Ballot(f"v{n}", "red", n % 7 + 1, 1, blind=f"{n:032x}") for n in range(1_800)]
    cast(turn, *crowd)
    later, hscan, reads = over(turn, box), box._redis.hscan, list[int]()
    small = sealed(later, box)
    read_in_batches(monkeypatch, of=100)
    assert sealed(later, box) == small
    reopened = replace(turn, version=later.version + 1)
    assert box.place(reopened, create=True)

    def while_voting(key: str, cursor: int, count: int) -> Any:
        reads.append(cursor)
        cast(reopened, Ballot("v1", "yellow", 1, len(reads) + 1), Ballot(f"new{len(reads)}", "red", 1, 1))
        return hscan(key, cursor, count=count)

    monkeypatch.setattr(box._redis, "hscan", while_voting)
    prefetched = box.prefetch(reopened)
    assert len(reads) >= 3 * turn.shard.total
    monkeypatch.setattr(box._redis, "hscan", hscan)
    ended = over(reopened, box)
    answers = sealed(ended, box, prefetched), sealed(ended, box)
    assert (answers[0], len(answers[0]) - len(small)) == (answers[1], len(reads))
    [(part, _)] = ended.split([Ballot("v1", "red", 1, 1)])
    status, *_ = box._seal(keys=part.keys, args=(*part.window, prefetched.token, 1, 0))
    assert status == SEALED_TO_CATCH_UP, "a long list of arrivals is read in batches, too"

    def end_early(key: str, cursor: int, count: int) -> Any:
        """As a node that has just taken over may answer, which knows other cursors."""
        reads.append(cursor)
        return 0, hscan(key, cursor, count=count)[1]

    monkeypatch.setattr(box._redis, "hscan", end_early)
    extended = replace(reopened, version=ended.version + 1)
    assert box.place(extended, create=True)
    incomplete = box.prefetch(extended)
    assert len(incomplete.ballots) < len(answers[0])
    ended = over(extended, box)
    assert seal(box, ended) == BoxLost()
    reads.clear()
    monkeypatch.setattr(
        box._redis, "hscan", lambda key, at, count: (hscan if reads else end_early)(key, at, count=count)
    )
    assert sealed(ended, box) == answers[0]
    monkeypatch.setattr(box._redis, "hscan", hscan)
    assert sealed(ended, box, incomplete) == answers[0]


@pytest.mark.parametrize("change", ["another prefetch", "a lost record", "a lost revote", "a rebuilt box"])
def test_seal_returns_all_ballots_after(change: str, turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    cast(turn, R1)
    prefetched = box.prefetch(turn)
    cast(turn, Y2)
    [(part, _)] = turn.split([Y2])
    match change:
        case "another prefetch":
            box.prefetch(turn)
        case "a lost record":  # as if a gateway of an older version had cast the last ballot
            redis.rpop(part.keys[2])
        case "a lost revote":  # as if an older copy had taken over
            before = box.load_ballots(turn)
            cast(turn, Ballot(Y2.voter, "yellow", 1, 2))
            prefetched = box.catch_up(turn, prefetched)
            redis.hset(part.keys[1], Y2.voter, f'"yellow",{Y2.choice},1,{before[-1].arrival},""')
            redis.hincrby(part.keys[0], "arrivals", -1)
            redis.rpop(part.keys[2])
        case "a rebuilt box":
            redis.hset(part.keys[0], "older", 1)
            assert box.place(turn, create=True)
    later = over(turn, box)
    assert {ballot.voter for ballot in sealed(later, box)} >= {"v1", "v2"}
    assert sealed(later, box, prefetched) == sealed(later, box)
    assert not uses(prefetched, later, box)


def test_prefetch_of_lost_box_has_no_ballots(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1)
    newer = replace(turn, epoch=2)
    assert box.prefetch(newer).ballots == ()
    box.delete_all_events()
    prefetched = box.prefetch(turn)
    assert prefetched.ballots == ()
    assert seal(box, turn, prefetched) == BoxLost()


def test_box_of_closed_turn_expires_with_its_record(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    box.prefetch(turn)
    cast(turn, R1)
    assert [redis.pttl(key) for key in turn.keys[:2]] == [-1, -1]
    box.expire(turn.ref)
    keys = [*turn.split([R1])[0][0].keys, *(part.keys[0] for part in turn.parts)]
    assert [0 < redis.pttl(key) <= EXPIRE_AFTER_MS for key in keys] == [True] * len(keys)

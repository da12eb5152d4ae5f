"""A prefetch of a turn's ballots changes nothing about its seal, except how much the seal returns."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from tests.voting.ballot_strategies import cast_batches
from tests.voting.box_helpers import R1, Y2, cast, over, running, seal, sealed
from voting.ballot_box.ballot_box import EXPIRE_AFTER_MS, BallotBox
from voting.ballot_box.box_types import MAX_BATCH, BoxedTurn, BoxLost, Prefetched
from voting.ballot_box.sealed_lists import BATCH_BALLOTS, SEALED_AFTER_PREFETCH
from voting.counting.ballots import Ballot

MAX_AFTER = 4_000  # of seal.lua
batches = st.lists(cast_batches, max_size=3)


@pytest.fixture(params=[1, 3])
def shards(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def uses(prefetched: Prefetched, turn: BoxedTurn, box: BallotBox) -> bool:
    """Whether the seal of Y2's shard leaves it to the caller to know the prefetched ballots."""
    [(part, _)] = turn.split([Y2])
    status, *_ = box._seal(keys=part.keys, args=(*part.window, prefetched.token, BATCH_BALLOTS))
    return bool(status == SEALED_AFTER_PREFETCH)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=batches, after=batches)
def test_seal_returns_the_same_with_prefetch(
    box: BallotBox, shards: int, before: list[list[Ballot]], after: list[list[Ballot]]
) -> None:
    box.delete_all_events()
    turn = running(box, shards=shards)
    assert box.place(turn, create=True)
    for batch in before:
        cast(turn, *batch)
    prefetched = box.prefetch(turn)
    for batch in after:
        cast(turn, *batch)
    later = over(turn, box)
    assert sealed(later, box, prefetched) == sealed(later, box)
    assert uses(prefetched, later, box)


def test_large_list_in_batches(turn: BoxedTurn, box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while ballots arrive and change. Ballots that are missing since the seal are noticed."""
    crowd = [Ballot(f"v{n}", "red", n % 7 + 1, 1, blind=f"{n:032x}") for n in range(1_800)]
    cast(turn, *crowd)
    later, hscan, reads = over(turn, box), box._redis.hscan, list[int]()
    small = sealed(later, box)
    for module in ("ballot_box", "sealed_lists"):
        monkeypatch.setattr(f"voting.ballot_box.{module}.BATCH_BALLOTS", 100)
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


@pytest.mark.parametrize("change", ["another prefetch", "a lost record", "a rebuilt box", "many changes"])
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
        case "a rebuilt box":
            redis.hset(part.keys[0], "older", 1)
            assert box.place(turn, create=True)
        case "many changes":
            for start in range(2, MAX_AFTER + 2, MAX_BATCH):
                cast(turn, *(Ballot(Y2.voter, "red", 1, start + i) for i in range(MAX_BATCH)))
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

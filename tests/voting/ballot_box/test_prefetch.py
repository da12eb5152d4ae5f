"""A prefetch of a turn's ballots changes nothing about its seal, except how much the seal returns."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from tests.voting.ballot_strategies import cast_batches
from tests.voting.box_helpers import EVENT, R1, TURN, Y2, cast, over, running, seal, sealed
from voting.ballot_box.ballot_box import EXPIRE_AFTER_MS, BallotBox
from voting.ballot_box.box_types import MAX_BATCH, BoxedTurn, BoxLost, Prefetched
from voting.counting.ballots import Ballot

MAX_AFTER = 4_000  # of seal.lua
FOREIGN = Ballot("never-cast", "red", 7, 1, 1)
batches = st.lists(cast_batches, max_size=3)


def uses(prefetched: Prefetched, turn: BoxedTurn, box: BallotBox) -> bool:
    """Whether the seal leaves it to the caller to know the prefetched ballots."""
    tampered = replace(prefetched, ballots=(*prefetched.ballots, FOREIGN))
    return FOREIGN in sealed(turn, box, tampered)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=batches, after=batches)
def test_seal_returns_the_same_with_prefetch(
    box: BallotBox, before: list[list[Ballot]], after: list[list[Ballot]]
) -> None:
    box.delete_all_events()
    turn = running(box)
    assert box.place(turn, create=True)
    for batch in before:
        cast(turn, *batch)
    prefetched = box.prefetch(turn)
    for batch in after:
        cast(turn, *batch)
    later = over(turn, box)
    assert sealed(later, box, prefetched) == sealed(later, box)
    assert uses(prefetched, later, box)


def prefetch_again(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    box.prefetch(turn)


def lose_the_record(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    """As if a gateway of an older version had cast the last ballot."""
    redis.rpop(turn.keys[2])


def rebuild_the_box(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    redis.hset(turn.keys[0], "older", 1)
    assert box.place(turn, create=True)


def revote_often(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    for start in range(0, MAX_AFTER, MAX_BATCH):
        cast(turn, *(Ballot("v9", "red", 1, start + i + 1) for i in range(MAX_BATCH)))


@pytest.mark.parametrize("change", [prefetch_again, lose_the_record, rebuild_the_box, revote_often])
def test_seal_returns_all_ballots_after(
    change: Callable[[BoxedTurn, BallotBox, Redis], None], turn: BoxedTurn, box: BallotBox, redis: Redis
) -> None:
    cast(turn, R1)
    prefetched = box.prefetch(turn)
    cast(turn, Y2)
    change(turn, box, redis)
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
    box.expire(EVENT, TURN)
    assert [0 < redis.pttl(key) <= EXPIRE_AFTER_MS for key in turn.keys] == [True] * 3

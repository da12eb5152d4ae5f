from collections import Counter
from dataclasses import replace

import pytest
from msgspec.structs import replace as change
from redis import Redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from games.engine.game import SIDES
from tests.voting.box_helpers import EVENT, R1, TURN, ask, cast, gateway_box, over, seal, sealed, voted, votes
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, CastResult, PresenceCounts, Sealed, TooEarly
from voting.ballot_box.sealed_lists import BATCH_BALLOTS
from voting.ballot_box.shards import Shard, shard_tags
from voting.counting.ballots import Ballot
from voting.terms import MAX_SHARDS

CROWD = [Ballot(f"{n:016x}", SIDES[n % 2], n % 7 + 1, 1, blind=f"{n:032x}") for n in range(60)]


@pytest.fixture
def shards() -> int:
    return 3


def test_tags_spread_shards_over_equal_shares_of_slots() -> None:
    for event in range(1, 50):
        for count in (1, 2, 3, MAX_SHARDS):
            tags = shard_tags(event, count)
            shares = Counter(key_slot(tag.encode()) * count // REDIS_CLUSTER_HASH_SLOTS for tag in tags)
            assert (tags[0], sorted(shares)) == (str(event), list(range(count)))


def test_voters_spread_evenly_and_stay_in_their_shard(turn: BoxedTurn, redis: Redis) -> None:
    assert cast(turn, *CROWD) == [CastResult.OK] * len(CROWD)
    held = [set(redis.hkeys(part.keys[1])) for part in turn.parts]
    assert all(12 <= len(voters) <= 28 for voters in held)
    assert sum(map(len, held)) == len(set.union(*held)) == len(CROWD)
    cast(turn, *(change(ballot, sequence=2, choice=7) for ballot in CROWD))
    assert [set(redis.hkeys(part.keys[1])) for part in turn.parts] == held


def test_turnout_counts_and_people_add_all_shards(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, *CROWD, change(CROWD[0], sequence=2))
    red, yellow = ask(lambda gateway: gateway.live_counts(EVENT, TURN, 7, 1, 3))
    by_column = Counter((ballot.side, ballot.choice) for ballot in CROWD)
    assert red == [by_column["red", column] for column in range(1, 8)]
    assert sum(yellow) == voted(3)[1] == 30
    assert box.ballot_counts(turn) == {"red": 30, "yellow": 30}
    voters = [ballot.voter for ballot in CROWD]
    assert ask(lambda gateway: gateway.load_ballots(EVENT, TURN, [*voters, "x"], 3)).keys() == set(voters)
    assert box.find_ballots(EVENT, TURN, [*voters, "x"], 3) == set(voters)
    state = box.inspect([turn.ref])[TURN]
    assert (state.is_consistent, state.ballots) == (True, len(CROWD))
    turnout = ask(lambda gateway: gateway.heartbeat(EVENT, "g", (TURN, 1), PresenceCounts(), 3))
    assert (turnout.voted, turnout.figures.changed) == (60, 1)


def test_voter_of_gateways_of_two_versions_counts_once(turn: BoxedTurn, box: BallotBox) -> None:
    """A gateway of an earlier version sends all voters to the first shard. The last ballot counts."""
    cast(turn, *CROWD)
    prefetched = box.prefetch(turn)
    first = replace(turn, shard=Shard())
    cast(first, *(change(ballot, sequence=2 * (n % 2), choice=7) for n, ballot in enumerate(CROWD)))
    later = over(turn, box)
    for ballots in (sealed(later, box), sealed(later, box, prefetched)):
        assert sorted(ballot.voter for ballot in ballots) == [ballot.voter for ballot in CROWD]
        own = {ballot.voter: ballot for ballot in ballots if Shard.of(ballot.voter, 3).number}
        changed = {ballot.voter for n, ballot in enumerate(CROWD) if n % 2}
        assert {voter for voter, ballot in own.items() if ballot.sequence == 2} == own.keys() & changed


def test_seal_waits_for_shards_and_returns_same_lists(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    cast(turn, *CROWD)
    later = over(turn, box)
    first, *_, last = later.parts
    redis.hset(last.keys[0], "closes_at", turn.closes_at)  # as if its node were behind
    assert seal(box, later) == TooEarly(turn.closes_at)
    redis.hset(last.keys[0], "closes_at", later.closes_at)
    box._seal(keys=first.keys, args=(*later.window, "", BATCH_BALLOTS))  # then the process died
    late = change(R1, voter=next(b.voter for b in CROWD if Shard.of(b.voter, 3).number == 0), sequence=9)
    assert cast(later, late) == [CastResult.LATE]
    answer = seal(box, later)
    assert isinstance(answer, Sealed)
    by_arrival = {ballot.arrival: ballot.voter for ballot in answer.ballots}
    in_order = [ballot.voter for _, own in turn.split(CROWD) for ballot in own]
    assert [voter for _, voter in sorted(by_arrival.items())] == in_order
    assert seal(box, later) == answer


@pytest.mark.parametrize("loss", ["box", "ballots", "one ballot", "last second"])
@pytest.mark.parametrize("number", range(3))
def test_lost_shard_loses_turn(loss: str, number: int, turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    """Whole shards answer `duplicate` in the new epoch. Nothing is lost or counted twice."""
    cast(turn, *CROWD)
    later = over(turn, box)
    keys = turn.parts[number].keys
    gone = [ballot for ballot in CROWD if Shard.of(ballot.voter, 3).number == number]
    if loss == "last second":
        redis.hset(keys[0], "older", 1)
    elif loss == "one ballot":
        redis.hdel(keys[1], gone[0].voter)
    else:
        redis.delete(*(keys if loss == "box" else keys[1:2]))
    assert box.find_inconsistent([later.ref]) == {TURN}
    assert seal(box, later) == BoxLost()
    assert not box.place(later, create=False)
    restored = replace(later, version=later.version + 1, epoch=2, closes_at=turn.closes_at)
    assert box.place(restored, create=True)
    missing = {"last second": [], "one ballot": gone[:1]}.get(loss, gone)
    answers = [CastResult.OK if ballot in missing else CastResult.DUPLICATE for ballot in CROWD]
    assert cast(restored, *CROWD) == answers
    assert sorted(one.voter for one in sealed(over(restored, box), box)) == [one.voter for one in CROWD]


@pytest.mark.parametrize("lost", [slice(None), slice(1, 2)], ids=["box", "ballots"])
async def test_each_shard_detects_that_it_was_rebuilt(
    lost: slice, turn: BoxedTurn, box: BallotBox, redis: Redis
) -> None:
    """The gateway knows what each shard acknowledged in this epoch; a heartbeat compares all of them."""
    async with gateway_box() as gateway:
        await votes(gateway, turn, *CROWD)
        part = turn.parts[2]
        redis.delete(*part.keys[lost])
        box._place(keys=part.keys, args=(1, *turn.window))
        assert not box.find_inconsistent([turn.ref])
        await gateway.heartbeat(EVENT, "g", (TURN, 1), PresenceCounts(), 3)
    assert box.find_inconsistent([turn.ref]) == {TURN}

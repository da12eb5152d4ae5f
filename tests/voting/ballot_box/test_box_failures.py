"""A ballot box that is unreachable, full, corrupt or of another version fails fast and loses nothing."""

from collections.abc import Callable

import pytest
from redis import Redis, RedisError

from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.voting.box_helpers import EVENT, R1, TURN, Y2, ask, cast, over, seal, sealed, voted, with_arrival
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, CastResult, event_key
from voting.counting.ballots import Ballot


@pytest.mark.parametrize(
    "call",
    [
        lambda box, turn: box.now(),
        lambda box, turn: box.place(turn, create=True),
        seal,
        lambda box, turn: box.cast(turn, [R1]),
        lambda box, turn: box.expire(turn.ref),
    ],
)
def test_unreachable_box_raises_redis_error(call: Callable[[BallotBox, BoxedTurn], object]) -> None:
    unreachable = BallotBox(f"redis://{LOOPBACK}:{free_port()}/0")
    with pytest.raises(RedisError):
        call(unreachable, BoxedTurn(EVENT, TURN, 1, 1, 0, 1))
    unreachable.close()


@pytest.mark.parametrize("held", ["text", "a ballot of another format"])
def test_corrupt_box_takes_and_returns_no_ballots(held: str, turn: BoxedTurn, redis: Redis) -> None:
    if held == "text":
        redis.set(turn.keys[1], "not a hash")
    else:
        redis.hset(turn.keys[1], "v1", "red 3 1 1")
        redis.hset(turn.keys[0], mapping={"arrivals": 1, "red": 1})
    assert ask(lambda box: box.load_ballots(EVENT, TURN, ["v1", "v2"])) == {}
    assert cast(turn, R1, Y2) == [CastResult.UNKNOWN, CastResult.UNKNOWN]


@pytest.mark.parametrize("setting", ["min-replicas-to-write", "maxmemory"])
def test_cast_raises_while_server_accepts_no_writes(setting: str, turn: BoxedTurn, redis: Redis) -> None:
    redis.config_set(setting, 1)
    try:
        with pytest.raises(RedisError, match=r"NOREPLICAS|maxmemory"):
            cast(turn, R1)
    finally:
        redis.config_set(setting, 0)
    assert cast(turn, R1) == [CastResult.OK]


def test_box_of_older_format_counts_as_lost(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    box_key, ballots_key = (key.replace("2:", ":") for key in turn.keys[:2])
    redis.rename(turn.keys[0], box_key)
    redis.hset(ballots_key, "veteran", "red 3 1 1")
    redis.hset(box_key, mapping={"arrivals": 1, "red": 1})
    assert cast(turn, R1) == [CastResult.UNKNOWN]
    assert ask(lambda box: box.load_ballots(EVENT, TURN, ["veteran"])) == {}
    assert seal(box, turn) == BoxLost()
    assert box.place(turn, create=True)
    assert cast(turn, R1) == [CastResult.OK]


def test_ballots_without_blinds_from_older_version_still_count(
    turn: BoxedTurn, box: BallotBox, redis: Redis
) -> None:
    """During an upgrade, a server of the older version uses the same box."""
    veteran = Ballot("veteran", "red", 3, 1, 1)
    assert turn.keys == [event_key(EVENT, f"{name}:{TURN}") for name in ("box2", "ballots2", "prefetch")]
    redis.hset(turn.keys[1], mapping={"veteran": '"red",3,1,1', "side_changer": '"red",3,4,2'})
    redis.hset(turn.keys[0], mapping={"arrivals": 2, "red": 2})
    again = Ballot("veteran", "red", 3, 1, 0, "ab" * 16)
    assert cast(turn, again, R1) == [CastResult.DUPLICATE, CastResult.OK]
    changed = Ballot("side_changer", "yellow", 5, 5, 0, "cd" * 16)
    assert cast(turn, Ballot("side_changer", "red", 1, 3), changed) == [-4, CastResult.OK]
    assert voted() == (2, 1)
    assert ask(lambda box: box.load_ballots(EVENT, TURN, ["veteran"])) == {"veteran": veteran}
    last = Ballot("side_changer", "yellow", 5, 5, 4, "cd" * 16)
    assert sealed(over(turn, box), box) == (veteran, with_arrival(R1, 3), last)

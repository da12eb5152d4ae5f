"""A ballot box that loses keys, returns as an older copy, is full, corrupt or of another version.

`test_recovery` loses keys and restores older copies in random steps.
"""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis, RedisError

from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import start_ballot_box
from crowdgame.server.laptop.supervisor import Supervisor
from tests.voting import box_helpers as helpers
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, CastResult, PresenceCounts, event_key
from voting.counting.ballots import Ballot


async def send_heartbeat(box: AsyncBallotBox, turn: BoxedTurn) -> None:
    await box.heartbeat(turn.event_id, "a", (turn.turn_id, turn.epoch), PresenceCounts(), turn.shard.total)


async def is_discarded(turn: BoxedTurn, box: BallotBox) -> bool:
    """Whether the box is discarded for every client, whatever epoch and version it knows."""
    at_its_end = replace(turn, version=turn.version + 1, closes_at=box.now())
    async with helpers.gateway_box() as other:
        answers = await helpers.votes(other, turn, Ballot("latecomer", "red", 1, 1))
    lost = (answers, bool(box.place(turn, create=False))) == ([CastResult.UNKNOWN], False)
    return lost and helpers.seal(box, at_its_end) == BoxLost()


def loaded(*voters: str) -> dict[str, Ballot]:
    return helpers.ask(lambda box: box.load_ballots(helpers.EVENT, helpers.TURN, voters))


@pytest.mark.parametrize("damage", ["older copy", "no box", "no ballots"])
async def test_damaged_box_is_discarded(damage: str, turn: BoxedTurn, box: BallotBox) -> None:
    async with helpers.gateway_box() as gateway:
        older = helpers.copy_all()
        await helpers.votes(gateway, turn, helpers.R1)
        if damage == "older copy":
            helpers.put_back(older)
        else:
            helpers.delete(turn.keys[damage == "no ballots"])
        assert await helpers.votes(gateway, turn, helpers.R1, helpers.Y2) == [CastResult.UNKNOWN] * 2
    assert await is_discarded(turn, box)


async def test_copy_from_before_a_restore_is_discarded(turn: BoxedTurn, box: BallotBox) -> None:
    """It has more acknowledged arrivals than the restored box, but an older epoch."""
    restored = replace(turn, version=turn.version + 1, epoch=turn.epoch + 1)
    async with helpers.gateway_box() as gateway:
        await helpers.votes(gateway, turn, helpers.R1, helpers.Y2)
        older = helpers.copy_all()
        helpers.empty()
        assert box.place(restored, create=True)
        assert await helpers.votes(gateway, restored, helpers.R1) == [CastResult.OK]
        helpers.put_back(older)
    assert box.find_inconsistent([restored.ref])
    assert await is_discarded(restored, box)


async def test_heartbeat_detects_replacement_by_empty_server(tmp_path: Path, settings: Any) -> None:
    port = free_port()
    one, other = (Stack(data=tmp_path / name, secret_key="", port=0, valkey_port=port) for name in "ab")
    settings.BALLOT_BOX_URL = one.redis
    async with helpers.gateway_box() as gateway:
        with Supervisor(tmp_path / "logs") as supervisor, closing(BallotBox()) as box:
            start_ballot_box(one, supervisor)
            turn = helpers.running(box)
            assert box.place(turn, create=True)
            assert await helpers.votes(gateway, turn, helpers.R1) == [CastResult.OK]
        with Supervisor(tmp_path / "logs") as supervisor, closing(BallotBox()) as box:
            start_ballot_box(other, supervisor)
            with pytest.raises(RedisError):  # the old connection is gone; the caller retries
                await send_heartbeat(gateway, turn)
            await send_heartbeat(gateway, turn)
            assert await helpers.votes(gateway, turn, helpers.R1) == [CastResult.UNKNOWN]
            assert not box.place(turn, create=False)
            assert helpers.seal(box, turn) == BoxLost()


@pytest.mark.parametrize("held", ["text", "a ballot of another format"])
def test_corrupt_box_takes_and_returns_no_ballots(held: str, turn: BoxedTurn, redis: Redis) -> None:
    if held == "text":
        redis.set(turn.keys[1], "not a hash")
    else:
        redis.hset(turn.keys[1], "v1", "red 3 1 1")
        redis.hset(turn.keys[0], mapping={"arrivals": 1, "red": 1})
    assert loaded("v1", "v2") == {}
    assert helpers.cast(turn, helpers.R1, helpers.Y2) == [CastResult.UNKNOWN, CastResult.UNKNOWN]


@pytest.mark.parametrize("setting", ["min-replicas-to-write", "maxmemory"])
def test_cast_raises_while_server_accepts_no_writes(setting: str, turn: BoxedTurn, redis: Redis) -> None:
    redis.config_set(setting, 1)
    try:
        with pytest.raises(RedisError, match=r"NOREPLICAS|maxmemory"):
            helpers.cast(turn, helpers.R1)
    finally:
        redis.config_set(setting, 0)
    assert helpers.cast(turn, helpers.R1) == [CastResult.OK]


def test_box_of_older_format_counts_as_lost(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    box_key, ballots_key = (key.replace("2:", ":") for key in turn.keys[:2])
    redis.rename(turn.keys[0], box_key)
    redis.hset(ballots_key, "veteran", "red 3 1 1")
    redis.hset(box_key, mapping={"arrivals": 1, "red": 1})
    assert helpers.cast(turn, helpers.R1) == [CastResult.UNKNOWN]
    assert loaded("veteran") == {}
    assert helpers.seal(box, turn) == BoxLost()
    assert box.place(turn, create=True)
    assert helpers.cast(turn, helpers.R1) == [CastResult.OK]


def test_ballots_without_blinds_still_count(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    """During an upgrade, a server of the older version uses the same box."""
    veteran = Ballot("veteran", "red", 3, 1, 1)
    names = [f"{name}:{helpers.TURN}" for name in ("box2", "ballots2", "prefetch")]
    assert turn.keys == [event_key(helpers.EVENT, name) for name in names]
    redis.hset(turn.keys[1], mapping={"veteran": '"red",3,1,1', "side_changer": '"red",3,4,2'})
    redis.hset(turn.keys[0], mapping={"arrivals": 2, "red": 2})
    again = Ballot("veteran", "red", 3, 1, 0, "ab" * 16)
    assert helpers.cast(turn, again, helpers.R1) == [CastResult.DUPLICATE, CastResult.OK]
    changed = Ballot("side_changer", "yellow", 5, 5, 0, "cd" * 16)
    assert helpers.cast(turn, Ballot("side_changer", "red", 1, 3), changed) == [-4, CastResult.OK]
    assert helpers.voted() == (2, 1)
    assert loaded("veteran") == {"veteran": veteran}
    last = Ballot("side_changer", "yellow", 5, 5, 4, "cd" * 16)
    ballots = helpers.sealed(helpers.over(turn, box), box)
    assert ballots == (veteran, helpers.with_arrival(helpers.R1, 3), last)

"""A ballot box restored from an older copy: a gateway that knows more notices, and the box is discarded."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis, RedisError

from deploy.laptop.network import free_port
from deploy.laptop.stack import Stack
from deploy.laptop.startup import start_ballot_box
from deploy.laptop.supervisor import Supervisor
from tests.voting.box_helpers import R1, Y2, running, turn
from tests.voting.box_loss_helpers import (
    Copied,
    copy_all,
    empty,
    is_discarded,
    put_back,
    send_heartbeat,
    votes,
    with_gateways,
)
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, CastResult, Sealed
from voting.counting.ballots import Ballot

__all__ = ["turn"]
THIRD = Ballot("v3", "red", 1, 1)


def test_rolled_back_box_refuses_gateway_with_newer_acknowledgements(turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        older = copy_all()
        assert await votes(gateway, turn, Y2) == [CastResult.OK]
        put_back(older)
        assert await votes(gateway, turn, R1, THIRD) == [CastResult.UNKNOWN] * 2

    with_gateways(1, scenario)
    assert is_discarded(turn, box)


def test_heartbeat_detects_rolled_back_box(turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        older = copy_all()
        await votes(gateway, turn, Y2)
        put_back(older)
        await send_heartbeat(gateway, turn)

    with_gateways(1, scenario)
    assert is_discarded(turn, box)


def test_rolled_back_box_is_detected_despite_new_ballots(turn: BoxedTurn, box: BallotBox) -> None:
    """New ballots may raise the count above the number that was acknowledged."""

    async def scenario(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(other, turn, R1)
        older = copy_all()
        await votes(one, turn, Y2)
        put_back(older)
        for number in range(5):
            assert await votes(other, turn, Ballot(f"w{number}", "red", 1, 1)) == [CastResult.OK]
        await send_heartbeat(other, turn)
        assert box.place(turn, create=False)
        await send_heartbeat(one, turn)

    with_gateways(2, scenario)
    assert is_discarded(turn, box)


def test_duplicate_acknowledgement_detects_rolled_back_box(turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        older = copy_all()
        await votes(one, turn, R1)
        assert await votes(other, turn, R1) == [CastResult.DUPLICATE]
        put_back(older)
        await send_heartbeat(other, turn)

    with_gateways(2, scenario)
    assert is_discarded(turn, box)


def test_copy_with_all_acknowledged_ballots_stays_valid(turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(one, turn, R1)
        await votes(other, turn, Y2)
        put_back(copy_all())
        assert await votes(one, turn, R1, Y2) == [CastResult.DUPLICATE] * 2
        await send_heartbeat(other, turn)

    with_gateways(2, scenario)
    assert not is_discarded(turn, box)


def test_heartbeat_does_not_create_missing_box(turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        empty()
        await send_heartbeat(gateway, turn)
        assert await votes(gateway, turn, R1) == [CastResult.UNKNOWN]

    with_gateways(1, scenario)
    assert not any(key in copy_all() for key in map(str.encode, turn.keys))
    assert is_discarded(turn, box)


@pytest.mark.parametrize("gone", [0, 1])
def test_box_with_missing_key_is_discarded(gone: int, turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.delete(turn.keys[gone])
        assert await votes(gateway, turn, R1, THIRD) == [CastResult.UNKNOWN] * 2

    with_gateways(1, scenario)
    assert is_discarded(turn, box)


def test_restored_box_is_valid_for_gateways_of_either_epoch(turn: BoxedTurn, box: BallotBox) -> None:
    restored = replace(turn, version=2, epoch=2)

    async def scenario(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(one, turn, R1)
        older = copy_all()
        await votes(one, turn, Y2)
        await votes(other, turn, THIRD)
        put_back(older)
        await send_heartbeat(one, turn)
        assert box.place(restored, create=True)
        await send_heartbeat(other, turn)
        assert await votes(other, turn, THIRD) == [CastResult.OK]
        assert await votes(one, restored, R1, Y2) == [CastResult.DUPLICATE, CastResult.OK]
        await send_heartbeat(one, restored)

    with_gateways(2, scenario)
    assert box.place(restored, create=False)


@pytest.mark.parametrize("epoch", [1, 2])
def test_recreated_box_has_no_acknowledgements(epoch: int, turn: BoxedTurn, box: BallotBox) -> None:
    """Only the ballots were lost: acknowledgements of this epoch are missing, and that is detected."""
    recreated = replace(turn, version=epoch, epoch=epoch)

    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.delete(turn.keys[1])
            assert box.place(recreated, create=True)
            assert not [field for field in redis.hkeys(turn.keys[0]) if field.startswith(b"acks:")]
        await send_heartbeat(gateway, recreated)

    with_gateways(1, scenario)
    assert is_discarded(recreated, box) == (epoch == 1)


def test_heartbeat_detects_replacement_by_empty_server(tmp_path: Path, settings: Any) -> None:
    port = free_port()
    stacks = [
        Stack(data=tmp_path / name, secret_key="", port=0, valkey_port=port) for name in ("one", "other")
    ]
    settings.BALLOT_BOX_URL = stacks[0].redis
    box = BallotBox()

    async def scenario(gateway: AsyncBallotBox) -> None:
        with Supervisor(tmp_path / "logs") as supervisor:
            start_ballot_box(stacks[0], supervisor)
            turn = running(box)
            assert box.place(turn, create=True)
            assert await votes(gateway, turn, R1) == [CastResult.OK]
        with Supervisor(tmp_path / "logs") as supervisor:
            start_ballot_box(stacks[1], supervisor)
            with pytest.raises(RedisError):  # the old connection is gone; the caller retries
                await send_heartbeat(gateway, turn)
            await send_heartbeat(gateway, turn)
            assert await votes(gateway, turn, R1) == [CastResult.UNKNOWN]
            assert is_lost(turn)

    def is_lost(turn: BoxedTurn) -> bool:
        fresh = BallotBox()
        lost = not fresh.place(turn, create=False) and fresh.seal(turn) == BoxLost()
        fresh.close()
        return lost

    with_gateways(1, scenario)
    box.close()


# ------------------------------------------------------------------ random sequences
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["vote", "vote", "heartbeat", "copy", "put back"]),
        st.integers(0, 1),
        st.integers(0, 5),
    ),
    max_size=25,
)


@dataclass
class GatewaysAtTurn:
    """Two gateways at one turn, and the last sequence they acknowledged to each voter."""

    turn: BoxedTurn
    gateways: Sequence[AsyncBallotBox]
    acknowledged: dict[str, int] = field(default_factory=dict)
    copies: list[Copied] = field(default_factory=lambda: [copy_all()])

    async def do(self, step_args: tuple[str, int, int], sequence: int) -> None:
        step, who, number = step_args
        if step == "copy":
            self.copies.append(copy_all())
        elif step == "put back":
            put_back(self.copies[number % len(self.copies)])
        elif step == "heartbeat":
            await send_heartbeat(self.gateways[who], self.turn)
        else:
            ballot = Ballot(f"v{number}", "red", number + 1, sequence)
            if await votes(self.gateways[who], self.turn, ballot) == [CastResult.OK]:
                self.acknowledged[ballot.voter] = sequence


@given(steps=STEPS)
def test_box_holds_all_acknowledged_ballots_or_is_discarded(steps: list[Any]) -> None:
    """Checked after a heartbeat of every gateway."""
    empty()
    box = BallotBox()
    turn = running(box)
    box.place(turn, create=True)
    histories: list[GatewaysAtTurn] = []

    async def scenario(*gateways: AsyncBallotBox) -> None:
        histories.append(history := GatewaysAtTurn(turn, gateways))
        for sequence, step in enumerate(steps, 1):
            await history.do(step, sequence)
        for gateway in gateways:
            await send_heartbeat(gateway, turn)

    with_gateways(2, scenario)
    held = box.seal(replace(turn, version=2, closes_at=box.now()))
    box.close()
    if isinstance(held, Sealed):
        assert {ballot.voter: ballot.sequence for ballot in held.ballots} == histories[0].acknowledged
    else:
        assert held == BoxLost()
        assert any(step == "put back" for step, _, _ in steps)

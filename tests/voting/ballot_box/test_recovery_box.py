"""A box that came back from an older copy of itself: whoever was told more notices, and it is given up."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st
from redis import Redis, RedisError

from deploy.laptop.network import free_port
from deploy.laptop.stack import Stack
from deploy.laptop.startup import start_box
from deploy.laptop.supervisor import Supervisor
from tests.voting.box_loss_helpers import (
    Copied,
    copy_all,
    empty,
    is_given_up,
    put_back,
    send_heartbeat,
    votes,
    with_gateways,
)
from tests.voting.boxes import R1, Y2, running, turn
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.types import BoxedTurn, Cast, Lost, Sealed
from voting.counting.ballots import Ballot

__all__ = ["turn"]
THIRD = Ballot("v3", "red", 1, 1)


def test_an_older_box_takes_no_ballot_of_whoever_was_told_more(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        older = copy_all()
        assert await votes(gateway, turn, Y2) == [Cast.OK]
        put_back(older)
        assert await votes(gateway, turn, R1, THIRD) == [Cast.UNKNOWN] * 2

    with_gateways(1, conversation)
    assert is_given_up(turn, box)


def test_an_older_box_is_noticed_though_nobody_votes(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        older = copy_all()
        await votes(gateway, turn, Y2)
        put_back(older)
        await send_heartbeat(gateway, turn)

    with_gateways(1, conversation)
    assert is_given_up(turn, box)


def test_what_others_bring_to_an_older_box_hides_nothing(turn: BoxedTurn, box: BallotBox) -> None:
    """They may bring it past the number of ballots that was acknowledged."""

    async def conversation(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(other, turn, R1)
        older = copy_all()
        await votes(one, turn, Y2)
        put_back(older)
        for number in range(5):
            assert await votes(other, turn, Ballot(f"w{number}", "red", 1, 1)) == [Cast.OK]
        await send_heartbeat(other, turn)
        assert box.place(turn, create=False)
        await send_heartbeat(one, turn)

    with_gateways(2, conversation)
    assert is_given_up(turn, box)


def test_an_acknowledgement_of_what_another_brought_is_one_too(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        older = copy_all()
        await votes(one, turn, R1)
        assert await votes(other, turn, R1) == [Cast.DUP]
        put_back(older)
        await send_heartbeat(other, turn)

    with_gateways(2, conversation)
    assert is_given_up(turn, box)


def test_a_copy_that_lacks_nothing_acknowledged_goes_on(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(one, turn, R1)
        await votes(other, turn, Y2)
        put_back(copy_all())
        assert await votes(one, turn, R1, Y2) == [Cast.DUP] * 2
        await send_heartbeat(other, turn)

    with_gateways(2, conversation)
    assert not is_given_up(turn, box)


def test_no_box_is_made_by_noticing_that_there_is_none(turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1)
        empty()
        await send_heartbeat(gateway, turn)
        assert await votes(gateway, turn, R1) == [Cast.UNKNOWN]

    with_gateways(1, conversation)
    assert not any(key in copy_all() for key in map(str.encode, turn.keys))
    assert is_given_up(turn, box)


@pytest.mark.parametrize("gone", [0, 1])
def test_a_box_of_which_a_key_vanished_is_given_up(gone: int, turn: BoxedTurn, box: BallotBox) -> None:
    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.delete(turn.keys[gone])
        assert await votes(gateway, turn, R1, THIRD) == [Cast.UNKNOWN] * 2

    with_gateways(1, conversation)
    assert is_given_up(turn, box)


def test_a_restored_box_is_good_again_for_who_knows_of_it_and_who_does_not_yet(
    turn: BoxedTurn, box: BallotBox
) -> None:
    restored = replace(turn, version=2, epoch=2)

    async def conversation(one: AsyncBallotBox, other: AsyncBallotBox) -> None:
        await votes(one, turn, R1)
        older = copy_all()
        await votes(one, turn, Y2)
        await votes(other, turn, THIRD)
        put_back(older)
        await send_heartbeat(one, turn)
        assert box.place(restored, create=True)
        await send_heartbeat(other, turn)
        assert await votes(other, turn, THIRD) == [Cast.OK]
        assert await votes(one, restored, R1, Y2) == [Cast.DUP, Cast.OK]
        await send_heartbeat(one, restored)

    with_gateways(2, conversation)
    assert box.place(restored, create=False)


@pytest.mark.parametrize("epoch", [1, 2])
def test_of_a_box_made_anew_nobody_was_told_anything(epoch: int, turn: BoxedTurn, box: BallotBox) -> None:
    """Only its ballots were lost: what it told before in this epoch is not in it, and that is noticed."""
    made = replace(turn, version=epoch, epoch=epoch)

    async def conversation(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.delete(turn.keys[1])
            assert box.place(made, create=True)
            assert not [field for field in redis.hkeys(turn.keys[0]) if field.startswith(b"acks:")]
        await send_heartbeat(gateway, made)

    with_gateways(1, conversation)
    assert is_given_up(made, box) == (epoch == 1)


def test_a_process_that_was_swapped_for_an_empty_one_is_noticed(tmp_path: Path, settings: Any) -> None:
    port = free_port()
    stacks = [
        Stack(data=tmp_path / name, secret_key="", port=0, valkey_port=port) for name in ("one", "other")
    ]
    settings.BALLOT_BOX_URL = stacks[0].redis
    box = BallotBox()

    async def conversation(gateway: AsyncBallotBox) -> None:
        with Supervisor(tmp_path / "logs") as supervisor:
            start_box(stacks[0], supervisor)
            turn = running(box)
            assert box.place(turn, create=True)
            assert await votes(gateway, turn, R1) == [Cast.OK]
        with Supervisor(tmp_path / "logs") as supervisor:
            start_box(stacks[1], supervisor)
            with pytest.raises(RedisError):  # the connection that is gone; who brings ballots tries again
                await send_heartbeat(gateway, turn)
            await send_heartbeat(gateway, turn)
            assert await votes(gateway, turn, R1) == [Cast.UNKNOWN]
            assert is_lost(turn)

    def is_lost(turn: BoxedTurn) -> bool:
        fresh = BallotBox()
        lost = not fresh.place(turn, create=False) and fresh.seal(turn) == Lost()
        fresh.close()
        return lost

    with_gateways(1, conversation)
    box.close()


# ------------------------------------------------------------------ anything, in any order
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["vote", "vote", "heartbeat", "copy", "put back"]),
        st.integers(0, 1),
        st.integers(0, 5),
    ),
    max_size=25,
)


@dataclass
class Stage:
    """Two gateways at one turn, and what they acknowledged: each voter's last sequence."""

    turn: BoxedTurn
    gateways: Sequence[AsyncBallotBox]
    acknowledged: dict[str, int] = field(default_factory=dict)
    copies: list[Copied] = field(default_factory=lambda: [copy_all()])

    async def do(self, happening: tuple[str, int, int], sequence: int) -> None:
        step, who, number = happening
        if step == "copy":
            self.copies.append(copy_all())
        elif step == "put back":
            put_back(self.copies[number % len(self.copies)])
        elif step == "heartbeat":
            await send_heartbeat(self.gateways[who], self.turn)
        else:
            ballot = Ballot(f"v{number}", "red", number + 1, sequence)
            if await votes(self.gateways[who], self.turn, ballot) == [Cast.OK]:
                self.acknowledged[ballot.voter] = sequence


@how(max_examples=80)
@given(steps=STEPS)
def test_no_box_lacks_an_acknowledged_ballot_once_every_gateway_has_beaten(steps: list[Any]) -> None:
    """Either the box holds what each gateway acknowledged, or it is given up."""
    empty()
    box = BallotBox()
    turn = running(box)
    box.place(turn, create=True)
    stages: list[Stage] = []

    async def conversation(*gateways: AsyncBallotBox) -> None:
        stages.append(stage := Stage(turn, gateways))
        for sequence, step in enumerate(steps, 1):
            await stage.do(step, sequence)
        for gateway in gateways:
            await send_heartbeat(gateway, turn)

    with_gateways(2, conversation)
    held = box.seal(replace(turn, version=2, closes_at=box.now()))
    box.close()
    if isinstance(held, Sealed):
        assert {ballot.voter: ballot.sequence for ballot in held.ballots} == stages[0].acknowledged
    else:
        assert held == Lost()
        assert any(step == "put back" for step, _, _ in steps)

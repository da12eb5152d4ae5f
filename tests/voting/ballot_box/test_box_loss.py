"""A ballot box that loses keys or returns as an older copy, in steps that `test_recovery` does not make."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import RedisError

from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import start_ballot_box
from crowdgame.server.laptop.supervisor import Supervisor
from tests.voting.box_helpers import R1, Y2, cast, running, seal
from tests.voting.box_loss_helpers import (
    copy_all,
    delete,
    empty,
    is_discarded,
    put_back,
    send_heartbeat,
    votes,
    with_gateways,
)
from tests.voting.match_helpers import ballots, kinds, open_now, play_out, run_out, start, tally_of
from tests.voting.recovery_model import Crash, InterruptedBox
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, CastResult
from voting.models import TallyRecord, TurnState
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db(transaction=True)


def test_box_lost_after_seal_extends_turn_once_and_counts_nothing(box: BallotBox) -> None:
    """The process that sealed the turn crashed before it could write the result."""

    def lose_and_crash() -> None:
        empty()
        raise Crash

    turn, crashing, voted = start(box), InterruptedBox(lose_and_crash), ballots("red", [3, 3])
    open_now(turn, box)
    cast(to_boxed_turn(turn), *voted)
    run_out(turn, box)
    with pytest.raises(Crash):
        close_turn(turn.pk, crashing)
    crashing.close()
    for _ in range(3):
        close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch) == (TurnState.OPEN, 2)
    assert kinds(turn.match.event_id).count("turn.restored") == 1
    assert not TallyRecord.objects.exists()
    assert cast(to_boxed_turn(restored), *voted) == [CastResult.OK] * 2
    play_out(turn, box)
    assert tally_of(turn, "red").counts[2] == 2


@pytest.mark.parametrize("damage", ["older copy", "no box", "no ballots"])
def test_damaged_box_takes_no_ballot_and_is_discarded(damage: str, turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(gateway: AsyncBallotBox) -> None:
        older = copy_all()
        await votes(gateway, turn, R1)
        if damage == "older copy":
            put_back(older)
        else:
            delete(turn.keys[damage == "no ballots"])
        assert await votes(gateway, turn, R1, Y2) == [CastResult.UNKNOWN] * 2

    with_gateways(1, scenario)
    assert is_discarded(turn, box)


def test_copy_from_before_a_restore_is_discarded(turn: BoxedTurn, box: BallotBox) -> None:
    """It has more acknowledged arrivals than the restored box, but an older epoch."""
    restored = replace(turn, version=turn.version + 1, epoch=turn.epoch + 1)

    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        older = copy_all()
        empty()
        assert box.place(restored, create=True)
        assert await votes(gateway, restored, R1) == [CastResult.OK]
        put_back(older)

    with_gateways(1, scenario)
    assert box.find_inconsistent([(restored.event_id, restored.turn_id, restored.version)])
    assert is_discarded(restored, box)


def test_recreated_box_has_no_acknowledgements(turn: BoxedTurn, box: BallotBox) -> None:
    """The box is created again in the same epoch without its ballots: the gateway notices."""

    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        delete(turn.keys[1])
        assert box.place(turn, create=True)
        await send_heartbeat(gateway, turn)

    with_gateways(1, scenario)
    assert is_discarded(turn, box)


def test_heartbeat_detects_replacement_by_empty_server(tmp_path: Path, settings: Any) -> None:
    port = free_port()
    one, other = (Stack(data=tmp_path / name, secret_key="", port=0, valkey_port=port) for name in "ab")
    settings.BALLOT_BOX_URL = one.redis
    box = BallotBox()

    async def scenario(gateway: AsyncBallotBox) -> None:
        with Supervisor(tmp_path / "logs") as supervisor:
            start_ballot_box(one, supervisor)
            turn = running(box)
            assert box.place(turn, create=True)
            assert await votes(gateway, turn, R1) == [CastResult.OK]
        with Supervisor(tmp_path / "logs") as supervisor:
            start_ballot_box(other, supervisor)
            with pytest.raises(RedisError):  # the old connection is gone; the caller retries
                await send_heartbeat(gateway, turn)
            await send_heartbeat(gateway, turn)
            assert await votes(gateway, turn, R1) == [CastResult.UNKNOWN]
            fresh = BallotBox()
            assert not fresh.place(turn, create=False)
            assert seal(fresh, turn) == BoxLost()
            fresh.close()

    with_gateways(1, scenario)
    box.close()

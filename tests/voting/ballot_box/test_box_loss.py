"""A ballot box that loses keys or returns as an older copy, in steps that `test_recovery` does not make."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import RedisError

from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import start_ballot_box
from crowdgame.server.laptop.supervisor import Supervisor
from tests.voting.box_helpers import R1, Y2, cast, gateway_box, running, seal, votes
from tests.voting.box_loss_helpers import copy_all, delete, empty, put_back
from tests.voting.match_helpers import ballots, kinds, open_now, play_out, run_out, start, tally_of
from tests.voting.recovery_model import Crash, InterruptedBox
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, CastResult, PresenceCounts
from voting.counting.ballots import Ballot
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


async def send_heartbeat(box: AsyncBallotBox, turn: BoxedTurn) -> None:
    await box.heartbeat(turn.event_id, "a", (turn.turn_id, turn.epoch), PresenceCounts(), turn.shard.total)


async def is_discarded(turn: BoxedTurn, box: BallotBox) -> bool:
    """Whether the box is discarded for every client, whatever epoch and version it knows."""
    at_its_end = replace(turn, version=turn.version + 1, closes_at=box.now())
    async with gateway_box() as other:
        answers = await votes(other, turn, Ballot("latecomer", "red", 1, 1))
    lost = (answers, bool(box.place(turn, create=False))) == ([CastResult.UNKNOWN], False)
    return lost and seal(box, at_its_end) == BoxLost()


@pytest.mark.parametrize("damage", ["older copy", "no box", "no ballots"])
async def test_damaged_box_takes_no_ballot_and_is_discarded(
    damage: str, turn: BoxedTurn, box: BallotBox
) -> None:
    async with gateway_box() as gateway:
        older = copy_all()
        await votes(gateway, turn, R1)
        if damage == "older copy":
            put_back(older)
        else:
            delete(turn.keys[damage == "no ballots"])
        assert await votes(gateway, turn, R1, Y2) == [CastResult.UNKNOWN] * 2
    assert await is_discarded(turn, box)


async def test_copy_from_before_a_restore_is_discarded(turn: BoxedTurn, box: BallotBox) -> None:
    """It has more acknowledged arrivals than the restored box, but an older epoch."""
    restored = replace(turn, version=turn.version + 1, epoch=turn.epoch + 1)
    async with gateway_box() as gateway:
        await votes(gateway, turn, R1, Y2)
        older = copy_all()
        empty()
        assert box.place(restored, create=True)
        assert await votes(gateway, restored, R1) == [CastResult.OK]
        put_back(older)
    assert box.find_inconsistent([restored.ref])
    assert await is_discarded(restored, box)


async def test_recreated_box_has_no_acknowledgements(turn: BoxedTurn, box: BallotBox) -> None:
    """The box is created again in the same epoch without its ballots: the gateway notices."""
    async with gateway_box() as gateway:
        await votes(gateway, turn, R1, Y2)
        delete(turn.keys[1])
        assert box.place(turn, create=True)
        await send_heartbeat(gateway, turn)
    assert await is_discarded(turn, box)


async def test_heartbeat_detects_replacement_by_empty_server(tmp_path: Path, settings: Any) -> None:
    port = free_port()
    one, other = (Stack(data=tmp_path / name, secret_key="", port=0, valkey_port=port) for name in "ab")
    settings.BALLOT_BOX_URL = one.redis
    async with gateway_box() as gateway:
        with Supervisor(tmp_path / "logs") as supervisor, closing(BallotBox()) as box:
            start_ballot_box(one, supervisor)
            turn = running(box)
            assert box.place(turn, create=True)
            assert await votes(gateway, turn, R1) == [CastResult.OK]
        with Supervisor(tmp_path / "logs") as supervisor, closing(BallotBox()) as box:
            start_ballot_box(other, supervisor)
            with pytest.raises(RedisError):  # the old connection is gone; the caller retries
                await send_heartbeat(gateway, turn)
            await send_heartbeat(gateway, turn)
            assert await votes(gateway, turn, R1) == [CastResult.UNKNOWN]
            assert not box.place(turn, create=False)
            assert seal(box, turn) == BoxLost()

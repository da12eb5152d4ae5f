"""Turns whose box was lost continue, and no acknowledged ballot is missing at the end."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from games.models import Turn, TurnState
from tests.voting.box_helpers import R1, ask, cast
from tests.voting.box_loss_helpers import (
    copy_all,
    empty,
    is_discarded,
    put_back,
    send_heartbeat,
    votes,
    with_gateways,
)
from tests.voting.match_helpers import ballots, open_now, play_turn, run_out, start
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.box_types import BoxedTurn, CastResult
from voting.counting.ballots import Ballot, unpack_ballots
from voting.models import Announcement, StoredBallot, TallyRecord
from voting.turns.closing import close_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, restore_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
LONG_S = 86_400


def cast_then_heartbeat(turn: Turn, acknowledged: list[Ballot], then: Callable[[], None]) -> None:
    """A gateway casts the ballots, `then` happens, and the gateway sends a heartbeat."""

    async def scenario(gateway: AsyncBallotBox) -> None:
        assert set(await votes(gateway, to_boxed_turn(turn), *acknowledged)) <= {
            CastResult.OK,
            CastResult.DUPLICATE,
        }
        then()
        await send_heartbeat(gateway, to_boxed_turn(turn))

    with_gateways(1, scenario)


def kinds(turn: Turn) -> list[str]:
    bodies = (
        Announcement.objects.filter(event=turn.match.event).order_by("seq").values_list("body", flat=True)
    )
    return [bytes(body).split(b'"', 4)[3].decode() for body in bodies]


def run_twice(box: BallotBox) -> None:
    scheduler = DeadlineScheduler(box)
    for _ in range(2):
        scheduler.chores_at = 0.0
        scheduler.run_once()


def resend(turn: Turn, acknowledged: list[Ballot]) -> list[int]:
    """Cast the ballots again, as phones do in a new epoch."""
    return cast(to_boxed_turn(load_turn(turn.pk)), *acknowledged)


def finish(turn: Turn, box: BallotBox) -> dict[str, list[int]]:
    run_out(load_turn(turn.pk), box)
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    return {record.side: record.counts for record in TallyRecord.objects.filter(turn=turn)}


def test_scheduler_restores_rolled_back_box_and_phones_resend(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    older, voted = copy_all(), ballots("red", [3, 3, 5]) + ballots("yellow", [2])
    cast_then_heartbeat(turn, voted, lambda: put_back(older))
    run_twice(box)
    assert (load_turn(turn.pk).epoch, kinds(turn)[-1]) == (2, "turn.restored")
    assert resend(turn, voted) == [CastResult.OK] * 4
    assert finish(turn, box) == {"red": [0, 0, 2, 0, 1, 0, 0], "yellow": [0, 1, 0, 0, 0, 0, 0]}
    assert kinds(turn).count("turn.restored") == 1


@pytest.mark.parametrize("lost", ["emptied", "older"])
def test_box_lost_at_deadline_extends_turn_once(lost: str, box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    older, voted = copy_all(), ballots("red", [3, 3]) + ballots("yellow", [2])
    cast_then_heartbeat(turn, voted, empty if lost == "emptied" else lambda: put_back(older))
    run_out(turn, box)
    for _ in range(3):
        close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch, kinds(turn).count("turn.restored")) == (TurnState.OPEN, 2, 1)
    assert restored.closes_at > box.now()
    assert not TallyRecord.objects.exists()
    assert resend(turn, voted) == [CastResult.OK] * 3
    assert finish(turn, box)["red"][2] == 2


class LosesAll(BallotBox):
    """A box that loses all data right after answering a seal."""

    def seal(self, turn: BoxedTurn) -> Any:
        answer = super().seal(turn)
        empty()
        return answer


def test_sealed_ballots_count_despite_loss_before_transaction(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    cast(to_boxed_turn(turn), *ballots("red", [3, 3]), *ballots("yellow", [2]))
    run_out(turn, box)
    lossy = LosesAll()
    close_turn(turn.pk, lossy)
    lossy.close()
    resolved = load_turn(turn.pk)
    assert (resolved.state, resolved.epoch, resolved.red_pick) == (TurnState.RESOLVED, 1, 3)
    close_turn(turn.pk, box)
    assert "turn.restored" not in kinds(turn)


class Dies(Exception):
    pass


class DiesAfterSealing(LosesAll):
    def seal(self, turn: BoxedTurn) -> Any:
        super().seal(turn)
        raise Dies


def test_crash_after_seal_with_lost_box_counts_nothing(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    voted = ballots("red", [3, 3]) + ballots("yellow", [2])
    cast(to_boxed_turn(turn), *voted)
    run_out(turn, box)
    dying = DiesAfterSealing()
    with pytest.raises(Dies):
        close_turn(turn.pk, dying)
    dying.close()
    close_turn(turn.pk, box)
    assert (load_turn(turn.pk).epoch, TallyRecord.objects.exists()) == (2, False)
    assert resend(turn, voted) == [CastResult.OK] * 3
    assert finish(turn, box)["red"] == [0, 0, 2, 0, 0, 0, 0]


def test_box_lost_twice_is_restored_twice(box: BallotBox) -> None:
    turn, voted = start(box), ballots("red", [6, 6])
    open_now(turn, box)
    older = copy_all()
    for epoch in (2, 3):
        cast_then_heartbeat(load_turn(turn.pk), voted, partial(put_back, older))
        run_twice(box)
        assert (load_turn(turn.pk).epoch, kinds(turn).count("turn.restored")) == (epoch, epoch - 1)
        older = copy_all()
    assert resend(turn, voted) == [CastResult.OK] * 2
    assert finish(turn, box)["red"][5] == 2


def test_lost_turn_stays_open_until_extended_deadline(box: BallotBox) -> None:
    """Neither a late worker nor the scheduler ends it; only the extended window does."""
    turn = start(box)
    open_now(turn, box)
    cast(to_boxed_turn(turn), R1)
    run_out(turn, box)
    empty()
    close_turn(turn.pk, box)
    for _ in range(3):
        close_turn(turn.pk, box)
        run_twice(box)
    assert (load_turn(turn.pk).state, load_turn(turn.pk).epoch) == (TurnState.OPEN, 2)


@pytest.mark.parametrize("lost", ["emptied", "older"])
def test_ballots_of_long_window_are_restored_with_blinds(lost: str, box: BallotBox) -> None:
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    older = copy_all()
    voted = [Ballot(b.voter, b.side, b.choice, b.sequence, blind=f"{n:032x}") for n, b in enumerate(
        ballots("red", [4, 1]) + ballots("yellow", [2]), 1)]  # fmt: skip
    store_ballots(turn.pk, voted, now=5)
    cast_then_heartbeat(turn, voted, empty if lost == "emptied" else lambda: put_back(older))
    restore_turn(turn.pk, box)
    held = ask(lambda gateway: gateway.load_ballots(turn.match.event_id, turn.pk, [b.voter for b in voted]))
    assert {b.voter: b.blind for b in held.values()} == {b.voter: b.blind for b in voted}
    assert resend(turn, voted) == [CastResult.DUPLICATE] * 3
    assert StoredBallot.objects.filter(turn=turn).count() == 3
    finish(turn, box)
    sealed = TallyRecord.objects.get(turn=turn, side="red").sealed
    assert {b.voter: b.blind for b in unpack_ballots(bytes(sealed))} == {b.voter: b.blind for b in voted[:2]}


def test_acknowledgements_of_a_turn_do_not_affect_next_turn(box: BallotBox) -> None:
    """The acknowledgements that a gateway knows from one turn discard no box of another."""
    first = start(box)

    async def cast_votes(gateway: AsyncBallotBox) -> None:
        await votes(gateway, to_boxed_turn(first), *ballots("red", [1, 1, 1]))

    open_now(first, box)
    with_gateways(1, cast_votes)
    play_turn(load_turn(first.pk), box, [1], [2])
    following = load_turn(first.match.turns.latest("number").pk)
    open_now(following, box)
    cast_then_heartbeat(following, ballots("red", [1]), lambda: None)
    assert not is_discarded(to_boxed_turn(following), box)

"""Processes that crash in the middle of a turn: the next process finishes the work, once."""

from collections.abc import Callable
from typing import Any

import pytest

from deploy.laptop.network import LOOPBACK, free_port
from games.models import Match, Turn, TurnState
from tests.voting.box_loss_helpers import empty
from tests.voting.match_helpers import (
    SELECTOR,
    ballots,
    kinds,
    new_event,
    only_turn,
    open_now,
    play_out,
    play_turn,
    run_out,
    start,
    store,
    tally_of,
    vote,
)
from voting.announcements.outbox import relay
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, Sealed, TooEarly
from voting.models import Announcement, TallyRecord
from voting.turns.closing import close_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, restore_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db
LONG_S = 601


class Crash(Exception):
    pass


class DyingBox(BallotBox):
    """A process that dies just before or just after one of its calls."""

    def __init__(self, step: str, before: bool) -> None:
        super().__init__()
        self.step, self.before = step, before

    def _crashing(self, step: str, call: Callable[[], Any]) -> Any:
        if step == self.step and self.before:
            raise Crash
        answer = call()
        if step == self.step:
            raise Crash
        return answer

    def seal(self, turn: BoxedTurn) -> TooEarly | BoxLost | Sealed:
        answer: TooEarly | BoxLost | Sealed = self._crashing("seal", lambda: BallotBox.seal(self, turn))
        return answer

    def place(self, turn: BoxedTurn, *, create: bool) -> bool:
        return bool(self._crashing("place", lambda: BallotBox.place(self, turn, create=create)))

    def cast(self, turn: BoxedTurn, ballots: Any) -> None:
        self._crashing("cast", lambda: BallotBox.cast(self, turn, ballots))

    def expire(self, event_id: int, turn_id: int) -> None:
        self._crashing("expire", lambda: BallotBox.expire(self, event_id, turn_id))


def run_again(box: BallotBox, iterations: int = 3) -> None:
    """Run the first iterations of a new scheduler."""
    scheduler = DeadlineScheduler(box)
    for _ in range(iterations):
        scheduler.chores_at = 0.0
        scheduler.run_once()


def crash_and_close(turn: Turn, step: str, before: bool, box: BallotBox) -> None:
    """Close the turn with a crash at `step`, then close it again."""
    dying = DyingBox(step, before)
    with pytest.raises(Crash):
        close_turn(turn.pk, dying)
    dying.close()
    close_turn(turn.pk, box)
    run_again(box)


@pytest.mark.parametrize("step", ["seal", "place", "expire"])
@pytest.mark.parametrize("before", [True, False])
def test_crashed_close_is_finished_by_next_process(step: str, before: bool, box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3, 1], yellow=[6])
    run_out(turn, box)
    crash_and_close(turn, step, before, box)
    after, following = load_turn(turn.pk), only_turn(turn.match)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 6)
    assert tally_of(turn, "red").ballots == 3
    assert TallyRecord.objects.count() == 2
    assert isinstance(box.seal(to_boxed_turn(following)), TooEarly)
    assert following.number == 2
    assert kinds(turn.match.event_id).count("turn.revealed") == 1
    assert not Announcement.objects.filter(sent_at=None).exists()


@pytest.mark.parametrize("step", ["seal", "place", "expire"])
@pytest.mark.parametrize("before", [True, False])
def test_crashed_close_of_concealed_half_is_finished(step: str, before: bool, box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    open_now(turn, box)
    vote(turn, box, red=[3, 3, 1])
    run_out(turn, box)
    crash_and_close(turn, step, before, box)
    after, second = load_turn(turn.pk), only_turn(turn.match)
    assert (after.state, after.red_pick, after.resolved_at) == (TurnState.CONCEALED, 3, None)
    assert (second.number, isinstance(box.seal(to_boxed_turn(second)), TooEarly)) == (2, True)
    play_turn(second, box, yellow=[3])
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    announced = kinds(turn.match.event_id)
    assert (announced.count("turn.concealed"), announced.count("turn.revealed")) == (1, 1)


def test_crashed_start_is_repaired_by_scheduler(box: BallotBox) -> None:
    event = new_event()
    dying = DyingBox("place", before=True)
    with pytest.raises(Crash):
        start_match(event.pk, dying)
    dying.close()
    run_again(box)
    turn = only_turn(Match.objects.get(event=event))
    assert turn.epoch == 2
    assert isinstance(box.seal(to_boxed_turn(turn)), TooEarly)


@pytest.mark.parametrize("step", ["place", "cast"])
def test_crashed_restore_is_finished_by_scheduler(step: str, box: BallotBox) -> None:
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    store(turn, ballots("red", [2, 2]))
    empty()
    dying = DyingBox(step, before=True)
    with pytest.raises(Crash):
        restore_turn(turn.pk, dying)
    dying.close()
    run_again(box)
    after = play_out(turn, box)
    assert (after.state, after.red_pick) == (TurnState.RESOLVED, 2)
    assert tally_of(turn, "red").ballots == 2


def test_turn_closes_without_channel_layer_and_is_announced_later(box: BallotBox, settings: Any) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    run_out(turn, box)
    reachable = settings.CHANNEL_LAYERS
    unreachable = {"address": f"redis://{LOOPBACK}:{free_port()}/0"}
    settings.CHANNEL_LAYERS = {"default": reachable["default"] | {"CONFIG": {"hosts": [unreachable]}}}
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert only_turn(turn.match).number == 2
    waiting = Announcement.objects.filter(event_id=turn.match.event_id, sent_at=None)
    assert waiting.count() == 1
    settings.CHANNEL_LAYERS = reachable
    relay()
    assert waiting.count() == 0

"""Talk time: each window opens later by this time; nothing else changes."""

from typing import Any

import pytest

from tests.voting.action_helpers import event_of, press
from tests.voting.box_helpers import cast
from tests.voting.gateway_helpers import make_room
from tests.voting.match_helpers import only_turn, open_now, play_turn, reveal_ms, start
from voting import protocol
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import CastResult
from voting.counting.ballots import Ballot
from voting.counting.window import MIN_RESTORED_MS, START_LEAD_MS
from voting.models import Turn, TurnState
from voting.turns.restoring import restore_turn
from voting.turns.time_steps import move_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db

TALK_MS = 90_000


def shown_talk_ms(turn: Turn) -> int:
    """The talk time that clients see before the window."""
    match: Any = load_snapshot(turn.match.event).match
    return int(match.turn.talk_ms)


@pytest.fixture
def turn(box: BallotBox) -> Turn:
    """A first turn in its talk time."""
    return start(box, talk_s=90, window_s=20, pace="normal")


def test_first_window_opens_after_talk_time_and_later_ones_after_the_reveal(box: BallotBox) -> None:
    before = box.now()
    turn = start(box, talk_s=90, window_s=20, pace="normal")
    assert before <= turn.opens_at - START_LEAD_MS - TALK_MS <= box.now()
    assert (turn.match.talk_s, turn.talk_left_ms) == (90, TALK_MS)
    assert turn.closes_at - turn.opens_at == 20_000
    after, second = play_turn(turn, box, red=[1], yellow=[2]), only_turn(turn.match)
    assert (second.number, second.opens_at) == (2, (after.resolved_at or 0) + reveal_ms(turn) + TALK_MS)
    assert second.closes_at - second.opens_at == 20_000
    before = box.now()
    press(event_of(turn), "turn.void", box)
    again = only_turn(turn.match)
    assert before <= again.opens_at - START_LEAD_MS - TALK_MS <= box.now()


def test_box_lost_during_talk_time_costs_no_time(turn: Turn, box: BallotBox) -> None:
    box.delete_all_events()
    restore_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert (after.epoch, after.opens_at, after.closes_at) == (2, turn.opens_at, turn.closes_at)
    assert after.closes_at - after.opens_at >= MIN_RESTORED_MS


@pytest.mark.parametrize("step", [3_600_000, -3_600_000])
def test_talk_time_moves_with_clock_step(step: int, turn: Turn, box: BallotBox) -> None:
    move_turn(turn.pk, turn.version, step, box.now() + step, box)
    after = load_turn(turn.pk)
    assert (after.opens_at - turn.opens_at, after.closes_at - turn.closes_at) == (step, step)


def test_ballots_are_early_during_talk_time(turn: Turn, box: BallotBox) -> None:
    room = make_room(event_of(turn))
    assert room.poll is not None
    ballot = protocol.BallotCast(turn.pk, 1, 3, 1)
    assert room.poll.refusal(1, ballot, turn.opens_at - 1_000) == "early"
    assert room.poll.refusal(1, ballot, turn.opens_at) is None
    assert cast(to_boxed_turn(turn), Ballot("v1", "red", 3, 1)) == [CastResult.EARLY]


@pytest.mark.parametrize("passed_ms", [-60_000, START_LEAD_MS + TALK_MS // 2])
def test_pause_keeps_remaining_talk_time(passed_ms: int, turn: Turn, box: BallotBox) -> None:
    move_turn(turn.pk, turn.version, -passed_ms, box.now(), box)
    left = min(TALK_MS, load_turn(turn.pk).opens_at - box.now())  # the lead is not part of the talk time
    press(event_of(turn), "turn.pause", box)
    held = load_turn(turn.pk)
    assert (held.state, held.left_ms) == (TurnState.PAUSED, 20_000)
    assert 0 < held.talk_left_ms <= left
    before = box.now()
    press(event_of(turn), "turn.resume", box)
    after = load_turn(turn.pk)
    assert before + held.talk_left_ms <= after.opens_at <= box.now() + held.talk_left_ms
    assert after.closes_at - after.opens_at == 20_000
    assert shown_talk_ms(after) == after.talk_left_ms == held.talk_left_ms
    if passed_ms < 0:
        assert held.talk_left_ms == TALK_MS


def test_resume_during_vote_shows_no_talk_time(turn: Turn, box: BallotBox) -> None:
    assert shown_talk_ms(turn) == TALK_MS
    open_now(turn, box)
    for _ in range(2):  # the second pause comes before the window is open again
        press(event_of(turn), "turn.pause", box)
        press(event_of(turn), "turn.resume", box)
        after = load_turn(turn.pk)
        assert box.now() < after.opens_at
        assert shown_talk_ms(after) == 0

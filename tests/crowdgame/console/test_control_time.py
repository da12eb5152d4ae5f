"""Turn time: pause, resume, extend, shorten and close."""

import pytest

from games.models import TurnState
from tests.voting.action_helpers import event_of, everything, press, refused, words_of
from tests.voting.match_helpers import kinds, only_turn, open_now, play_out, run_out, set_window, start, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import Sealed, TooEarly
from voting.counting.window import RESUME_LEAD_MS
from voting.models import TallyRecord
from voting.turns.closing import close_turn
from voting.turns.early_close import close_turn_early
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("action", ["turn.pause", "turn.shorten", "turn.close"])
def test_expired_turn_refuses_pause_shorten_and_close(action: str, box: BallotBox) -> None:
    turn = start(box)
    run_out(turn, box)
    with refused("Time is up"):
        press(event_of(turn), action, box)


# ------------------------------------------------------------------ pause, resume, extend
def test_pause_keeps_remaining_time_and_counts_no_ballots(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    before = box.now()
    press(event_of(turn), "turn.pause", box, turn=turn.pk)
    paused = load_turn(turn.pk)
    assert paused.state == TurnState.PAUSED
    assert paused.left_ms is not None
    assert turn.closes_at - box.now() <= paused.left_ms <= turn.closes_at - before
    vote(paused, box, red=[7, 7, 7])
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.PAUSED
    press(event_of(turn), "turn.resume", box)
    resumed = load_turn(turn.pk)
    assert (resumed.state, resumed.left_ms) == (TurnState.OPEN, None)
    assert resumed.closes_at - resumed.opens_at == paused.left_ms
    assert box.now() < resumed.opens_at <= box.now() + RESUME_LEAD_MS
    run_out(resumed, box)
    close_turn(turn.pk, box)
    assert TallyRecord.objects.get(turn=turn, side="red").counts == [0, 0, 1, 0, 0, 0, 0]
    assert kinds(event_of(turn))[-4:-1] == ["turn.paused", "turn.resumed", "turn.moved"]


def test_pause_during_reveal_keeps_whole_window(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    press(event_of(turn), "turn.pause", box)
    assert load_turn(turn.pk).left_ms == 20_000


def test_repeated_pause_or_early_resume_is_refused(box: BallotBox) -> None:
    turn = start(box)
    with refused("not paused"):
        press(event_of(turn), "turn.resume", box)
    press(event_of(turn), "turn.pause", box)
    with refused("already paused"):
        press(event_of(turn), "turn.pause", box)


def test_extension_moves_deadline_and_keeps_ballots(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    press(event_of(turn), "turn.extend", box, seconds=30)
    extended = load_turn(turn.pk)
    assert extended.closes_at == turn.closes_at + 30_000
    assert box.seal(to_boxed_turn(extended)) == TooEarly(extended.closes_at)
    press(event_of(turn), "turn.extend", box)
    assert load_turn(turn.pk).closes_at == extended.closes_at + 10_000
    after = play_out(turn, box)
    assert after.red_pick == 3


def test_extension_reopens_sealed_turn_not_yet_counted(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    set_window(turn, box, -60_000, -30_000)
    assert isinstance(box.seal(to_boxed_turn(turn)), Sealed)
    before = box.now()
    press(event_of(turn), "turn.extend", box, seconds=30)
    assert load_turn(turn.pk).closes_at >= before + 30_000
    vote(load_turn(turn.pk), box, yellow=[5])
    after = play_out(turn, box)
    assert (after.red_pick, after.yellow_pick) == (3, 5)


def test_extension_of_paused_turn_adds_to_remaining_time(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.extend", box, seconds=7)
    paused = load_turn(turn.pk)
    assert (paused.state, paused.left_ms) == (TurnState.PAUSED, 27_000)


# ------------------------------------------------------------------ shorten
def test_shortening_moves_deadline_and_keeps_ballots(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    assert words_of(event_of(turn), "turn.shorten", box, seconds=30) == "removed 30 s"
    assert load_turn(turn.pk).closes_at == turn.closes_at - 30_000
    press(event_of(turn), "turn.shorten", box)
    assert load_turn(turn.pk).closes_at == turn.closes_at - 40_000
    assert kinds(event_of(turn))[-1] == "turn.moved"
    assert play_out(turn, box).red_pick == 3


def test_shortened_window_applies_in_ballot_box(box: BallotBox) -> None:
    turn = start(box)
    set_window(turn, box, -1_000, 60_000)
    press(event_of(turn), "turn.shorten", box)
    shorter = load_turn(turn.pk)
    assert shorter.closes_at == turn.closes_at - 10_000
    assert box.seal(to_boxed_turn(shorter)) == TooEarly(shorter.closes_at)


def test_shortening_leaves_three_seconds(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    with refused("Less than 3 seconds"):
        press(event_of(turn), "turn.shorten", box, seconds=18)
    press(event_of(turn), "turn.shorten", box, seconds=17)  # its window has not begun
    after = load_turn(turn.pk)
    assert after.closes_at - after.opens_at == 3_000
    set_window(load_turn(turn.pk), box, -60_000, 12_500)
    with refused("Less than 3 seconds"):
        press(event_of(turn), "turn.shorten", box)


def test_shortening_paused_turn_reduces_remaining_time(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.shorten", box, seconds=7)
    paused = load_turn(turn.pk)
    assert (paused.state, paused.left_ms) == (TurnState.PAUSED, 13_000)
    with refused("Less than 3 seconds"):
        press(event_of(turn), "turn.shorten", box, seconds=11)


def test_shortening_reverts_extension(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    press(event_of(turn), "turn.extend", box, seconds=300)
    assert words_of(event_of(turn), "turn.shorten", box, seconds=300) == "removed 5 min"
    assert load_turn(turn.pk).closes_at == turn.closes_at


# ------------------------------------------------------------------ close
def test_close_counts_the_ballots_so_far(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3], yellow=[4])
    press(event_of(turn), "turn.close", box, turn=turn.pk)
    after = load_turn(turn.pk)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 4)
    assert kinds(event_of(turn))[-2:] == ["turn.moved", "turn.revealed"]


def test_paused_turn_can_be_closed(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.close", box)
    assert load_turn(turn.pk).red_pick == 3


def test_turn_cannot_be_closed_before_it_opens(box: BallotBox) -> None:
    turn = start(box)
    before = everything()
    with refused("has not started"):
        press(event_of(turn), "turn.close", box)
    assert everything() == before


def test_repeated_action_does_not_affect_next_turn(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    press(event_of(turn), "turn.close", box, turn=turn.pk)
    for action in ("turn.close", "turn.pause", "turn.extend", "turn.resume"):
        with refused("already ended"):
            press(event_of(turn), action, box, turn=turn.pk)


def test_early_close_ends_running_window(box: BallotBox) -> None:
    turn = start(box, close_early=True)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    closes_at = load_turn(turn.pk).closes_at
    close_turn_early(turn.pk, closes_at, box)
    close_turn_early(turn.pk, closes_at, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert only_turn(turn.match).state == TurnState.OPEN


def test_early_close_skips_other_matches_and_paused_turns(box: BallotBox) -> None:
    late = start(box)
    open_now(late, box)
    paused = start(box, close_early=True)
    press(event_of(paused), "turn.pause", box)
    before = everything()
    for turn in (late, paused):
        close_turn_early(turn.pk, load_turn(turn.pk).closes_at, box)
    assert everything() == before


def test_early_close_of_moved_window_is_ignored(box: BallotBox) -> None:
    turn = start(box, close_early=True)
    open_now(turn, box)
    voted_before = load_turn(turn.pk).closes_at
    press(event_of(turn), "turn.extend", box)
    close_turn_early(turn.pk, voted_before, box)
    assert load_turn(turn.pk).state == TurnState.OPEN

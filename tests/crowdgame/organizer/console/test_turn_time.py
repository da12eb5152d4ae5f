from typing import Any

import pytest

from tests.voting.action_helpers import event_of, everything, press, refused, words_of
from tests.voting.box_helpers import seal
from tests.voting.match_helpers import kinds, only_turn, play, play_out, set_window, start, start_open, vote
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import Sealed, TooEarly
from voting.counting.window import RESUME_LEAD_MS
from voting.models import TallyRecord, Turn, TurnState
from voting.turns.closing import close_turn
from voting.turns.early_close import close_turn_early
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn(box: BallotBox) -> Turn:
    """An open turn in which red has voted for column 3."""
    turn = start_open(box)
    vote(turn, box, red=[3])
    return load_turn(turn.pk)


def length_s(turn: Turn) -> int:
    turn = load_turn(turn.pk)
    return (turn.closes_at - turn.opens_at) // 1000


def test_pause_keeps_remaining_time_and_counts_no_ballots(turn: Turn, box: BallotBox) -> None:
    before = box.now()
    press(event_of(turn), "turn.pause", box, turn=turn.pk)
    paused = load_turn(turn.pk)
    assert paused.state == TurnState.PAUSED
    assert turn.closes_at - box.now() <= (paused.left_ms or 0) <= turn.closes_at - before
    vote(paused, box, red=[7, 7, 7])
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.PAUSED
    press(event_of(turn), "turn.resume", box)
    resumed = load_turn(turn.pk)
    assert (resumed.state, resumed.left_ms) == (TurnState.OPEN, None)
    assert resumed.closes_at - resumed.opens_at == paused.left_ms
    assert box.now() < resumed.opens_at <= box.now() + RESUME_LEAD_MS
    set_window(resumed, box, -2_000, 0)
    close_turn(turn.pk, box)
    assert TallyRecord.objects.get(turn=turn, side="red").counts == [0, 0, 1, 0, 0, 0, 0]
    assert kinds(event_of(turn))[-4:-1] == ["turn.paused", "turn.resumed", "turn.moved"]


@pytest.mark.parametrize(
    ("action", "fields", "seconds"),
    [
        *(("turn.extend", {"seconds": 30}, 30), ("turn.extend", {}, 10)),
        *(("turn.shorten", {"seconds": 30}, -30), ("turn.shorten", {}, -10)),
    ],
)
def test_time_change_moves_deadline_and_keeps_ballots(
    action: str, fields: dict[str, Any], seconds: int, turn: Turn, box: BallotBox
) -> None:
    press(event_of(turn), action, box, **fields)
    moved = load_turn(turn.pk)
    assert moved.closes_at == turn.closes_at + seconds * 1_000
    assert seal(box, to_boxed_turn(moved)) == TooEarly(moved.closes_at)
    assert kinds(event_of(turn))[-1] == "turn.moved"
    assert play_out(turn, box).red_pick == 3


def test_extension_reopens_sealed_turn_not_yet_counted(turn: Turn, box: BallotBox) -> None:
    set_window(turn, box, -60_000, -30_000)
    assert isinstance(seal(box, to_boxed_turn(turn)), Sealed)
    before = box.now()
    press(event_of(turn), "turn.extend", box, seconds=30)
    assert load_turn(turn.pk).closes_at >= before + 30_000
    vote(load_turn(turn.pk), box, yellow=[5])
    after = play_out(turn, box)
    assert (after.red_pick, after.yellow_pick) == (3, 5)


def test_remaining_time_changes_before_window_and_in_pause(box: BallotBox) -> None:
    planned, turn = start(box, window_s=20), start(box, window_s=20)
    press(event_of(turn), "turn.pause", box)
    assert load_turn(turn.pk).left_ms == 20_000, "a pause before the window keeps all of it"
    press(event_of(planned), "turn.shorten", box)
    assert length_s(planned) == 10
    for action, seconds, left_ms in (("turn.extend", 7, 27_000), ("turn.shorten", 24, 3_000)):
        press(event_of(turn), action, box, seconds=seconds)
        paused = load_turn(turn.pk)
        assert (paused.state, paused.left_ms) == (TurnState.PAUSED, left_ms)
    press(event_of(turn), "turn.resume", box)
    set_window(load_turn(turn.pk), box, -60_000, 12_500)
    with refused("Less than 3 seconds"):
        press(event_of(turn), "turn.shorten", box)


@pytest.mark.parametrize("paused", [False, True])
def test_close_counts_the_ballots_so_far(paused: bool, turn: Turn, box: BallotBox) -> None:
    vote(turn, box, yellow=[4])
    if paused:
        press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.close", box, turn=turn.pk)
    after = load_turn(turn.pk)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 4)
    assert kinds(event_of(turn))[-2:] == ["turn.moved", "turn.revealed"]
    for action in ("turn.close", "turn.pause", "turn.extend", "turn.resume"):
        with refused("already ended"):
            press(event_of(turn), action, box, turn=turn.pk)


def test_early_close_skips_paused_moved_and_ended_turns(turn: Turn, box: BallotBox) -> None:
    paused, moved = start(box, close_early=True), start(box, close_early=True)
    press(event_of(paused), "turn.pause", box)
    set_window(moved, box, -1_000, 60_000)
    voted_before = load_turn(moved.pk).closes_at
    press(event_of(moved), "turn.extend", box)
    ended = start(box, close_early=True)
    play(ended.match, box, [(3, 3)])
    before = everything()
    for one in (turn, paused, ended):
        close_turn_early(one.pk, load_turn(one.pk).closes_at, box)
    close_turn_early(moved.pk, voted_before, box)
    assert everything() == before


def test_extra_time_applies_from_next_turn_and_keeps_match_terms(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    event, match = turn.match.event, turn.match
    press(event.pk, "turn.extra_time", box, seconds=30)
    assert length_s(turn) == 20, "the turn already planned keeps its time"
    play(match, box, [(1, 2)])
    assert length_s(only_turn(match)) == 50
    press(event.pk, "turn.extra_time", box)
    play(match, box, [(1, 3)])
    assert length_s(only_turn(match)) == 20
    press(event.pk, "turn.extra_time", box, seconds=10)
    press(event.pk, "turn.void", box)
    assert length_s(only_turn(match)) == 30, "a turn voted again uses the current extra time"
    play(match, box, [(1, 3), (1, 2), (1, 3)])
    press(event.pk, "match.start", box)
    assert length_s(only_turn(event.matches.get(number=2))) == 30, "it belongs to the event"
    event.refresh_from_db()
    state = load_snapshot(event)
    assert (state.extra_s, state.match.window_s if state.match else None) == (10, 20)
    assert kinds(event.pk).count("event.edited") == 3


def test_reveal_is_extended_and_shortened_to_one_second_but_not_while_teams_talk(box: BallotBox) -> None:
    turn, talking = start(box), start(box, talk_s=60)

    def times() -> tuple[int, int]:
        following = only_turn(turn.match)
        return following.opens_at, following.closes_at

    for one in (turn, talking):
        play(one.match, box, [(1, 2)])
        set_window(only_turn(one.match), box, 59_000, 99_000)
    opens_at, closes_at = times()
    press(event_of(turn), "reveal.extend", box, seconds=30)
    assert times() == (opens_at + 30_000, closes_at + 30_000)
    press(event_of(turn), "reveal.shorten", box, seconds=30)
    assert times() == (opens_at, closes_at)
    now = box.now()
    what = words_of(event_of(turn), "reveal.shorten", box, seconds=600)
    shortest, end = times()
    assert now + 1_000 <= shortest <= box.now() + 2_000
    assert end - shortest == closes_at - opens_at
    assert f"by {(opens_at - shortest) // 1000} seconds" in what
    for action in ("reveal.extend", "reveal.shorten"):
        with refused("No reveal is being shown"):
            press(event_of(talking), action, box)

"""What an organizer does: each action once, told to everyone, and every refusal changes nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core import serializers
from redis.exceptions import TimeoutError  # noqa: A004

from games.matches import MatchError, live_turn
from games.models import Event, Match, MatchState, Team, Turn, TurnState
from tests.voting.playing import (
    RED_WINS,
    new_event,
    only_turn,
    open_now,
    play,
    play_turn,
    run_out,
    set_window,
    start,
    vote,
)
from tests.voting.test_turns import at_once, kinds
from voting.ballot_box import BallotBox, BoxedTurn, Early, Sealed
from voting.control import act, close_turn_early, edit_event, pause_turn
from voting.models import Announcement, StoredBallot, TallyRecord
from voting.protocol import Action, ActionAsk
from voting.turns import boxed, close_turn, load_turn
from voting.window import RESUME_LEAD_MS, START_LEAD_MS

pytestmark = pytest.mark.django_db
MODELS = (Event, Team, Match, Turn, StoredBallot, TallyRecord, Announcement)


def everything() -> str:
    return "".join(serializers.serialize("json", model._default_manager.order_by("pk")) for model in MODELS)


@contextmanager
def refused(words: str) -> Iterator[None]:
    """What happens within is refused in these words, and changes nothing."""
    before = everything()
    with pytest.raises(MatchError, match=words):
        yield
    assert everything() == before


def press(event_id: int, action: Action, box: BallotBox, **more: Any) -> None:
    act(event_id, ActionAsk(id=1, action=action, **more), box)


def event_of(turn: Turn) -> int:
    return int(turn.match.event_id)


# ------------------------------------------------------------------ the doors
def test_the_doors_open_lock_and_unlock(box: BallotBox) -> None:
    event = new_event()
    for action, lobby in [
        ("lobby.open", "open"),
        ("joining.lock", "locked"),
        ("joining.unlock", "open"),
        ("joining.lock", "locked"),
        ("lobby.open", "open"),
    ]:
        press(event.pk, action, box)  # type: ignore[arg-type]
        event.refresh_from_db()
        assert event.lobby == lobby
    assert kinds(event.pk) == [
        "lobby.opened",
        "joining.locked",
        "joining.unlocked",
        "joining.locked",
        "joining.unlocked",
    ]


def test_doors_that_are_so_already_stay_so(box: BallotBox) -> None:
    event = new_event(lobby="open")
    with refused("so already"):
        press(event.pk, "lobby.open", box)
    press(event.pk, "joining.lock", box)
    with refused("so already"):
        press(event.pk, "joining.lock", box)


def test_an_edit_is_told(box: BallotBox) -> None:
    event = new_event()
    edit_event(event.pk, box)
    assert kinds(event.pk) == ["event.edited"]


# ------------------------------------------------------------------ pause, resume, extend
def test_a_pause_keeps_the_time_that_is_left_and_takes_no_ballots(box: BallotBox) -> None:
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


def test_a_pause_during_the_reveal_keeps_the_whole_window(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    press(event_of(turn), "turn.pause", box)
    assert load_turn(turn.pk).left_ms == 20_000


def test_a_turn_is_paused_once_and_resumed_once(box: BallotBox) -> None:
    turn = start(box)
    with refused("not paused"):
        press(event_of(turn), "turn.resume", box)
    press(event_of(turn), "turn.pause", box)
    with refused("paused already"):
        press(event_of(turn), "turn.pause", box)


def test_a_turn_whose_time_is_up_is_not_paused(box: BallotBox) -> None:
    turn = start(box)
    run_out(turn, box)
    with refused("Time is up"):
        press(event_of(turn), "turn.pause", box)


def test_an_extension_moves_the_deadline_and_keeps_the_ballots(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    press(event_of(turn), "turn.extend", box, seconds=30)
    extended = load_turn(turn.pk)
    assert extended.closes_at == turn.closes_at + 30_000
    assert box.seal(boxed(extended)) == Early(extended.closes_at)
    press(event_of(turn), "turn.extend", box)
    assert load_turn(turn.pk).closes_at == extended.closes_at + 10_000
    after = play_on(turn, box)
    assert after.red_pick == 3


def play_on(turn: Turn, box: BallotBox) -> Turn:
    run_out(load_turn(turn.pk), box)
    close_turn(turn.pk, box)
    return load_turn(turn.pk)


def test_an_extension_of_a_sealed_turn_that_is_not_counted_yet_runs_again_from_now(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    set_window(turn, box, -60_000, -30_000)
    assert isinstance(box.seal(boxed(turn)), Sealed)
    press(event_of(turn), "turn.extend", box, seconds=30)
    assert load_turn(turn.pk).closes_at - box.now() > 29_000
    vote(load_turn(turn.pk), box, yellow=[5])
    after = play_on(turn, box)
    assert (after.red_pick, after.yellow_pick) == (3, 5)


def test_an_extension_of_a_paused_turn_adds_to_what_is_left(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.extend", box, seconds=7)
    paused = load_turn(turn.pk)
    assert (paused.state, paused.left_ms) == (TurnState.PAUSED, 27_000)


# ------------------------------------------------------------------ close
def test_closing_now_counts_what_is_there(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3], yellow=[4])
    press(event_of(turn), "turn.close", box, turn=turn.pk)
    after = load_turn(turn.pk)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 4)
    assert kinds(event_of(turn))[-2:] == ["turn.moved", "turn.revealed"]


def test_a_paused_turn_may_be_closed(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.close", box)
    assert load_turn(turn.pk).red_pick == 3


def test_a_turn_that_has_not_begun_is_not_closed(box: BallotBox) -> None:
    turn = start(box)
    before = everything()
    with refused("has not begun"):
        press(event_of(turn), "turn.close", box)
    assert everything() == before


def test_a_second_press_does_not_close_the_next_turn(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    press(event_of(turn), "turn.close", box, turn=turn.pk)
    for action in ("turn.close", "turn.pause", "turn.extend", "turn.resume"):
        with refused("over already"):
            press(event_of(turn), action, box, turn=turn.pk)


def test_an_early_close_ends_a_running_window_where_the_match_wants_it(box: BallotBox) -> None:
    turn = start(box, close_early=True)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    closes_at = load_turn(turn.pk).closes_at
    close_turn_early(turn.pk, closes_at, box)
    close_turn_early(turn.pk, closes_at, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert only_turn(turn.match).state == TurnState.OPEN


def test_an_early_close_leaves_other_matches_and_paused_turns_alone(box: BallotBox) -> None:
    late = start(box)
    open_now(late, box)
    paused = start(box, close_early=True)
    press(event_of(paused), "turn.pause", box)
    before = everything()
    for turn in (late, paused):
        close_turn_early(turn.pk, load_turn(turn.pk).closes_at, box)
    assert everything() == before


def test_an_early_close_of_a_window_that_was_moved_since_is_forgotten(box: BallotBox) -> None:
    turn = start(box, close_early=True)
    open_now(turn, box)
    voted_before = load_turn(turn.pk).closes_at
    press(event_of(turn), "turn.extend", box)
    close_turn_early(turn.pk, voted_before, box)
    assert load_turn(turn.pk).state == TurnState.OPEN


# ------------------------------------------------------------------ void
def test_a_void_turn_is_voted_again(box: BallotBox) -> None:
    turn = start(box)
    play_turn(turn, box, red=[3], yellow=[4])
    following = only_turn(turn.match)
    before = box.now()
    press(event_of(turn), "turn.void", box)
    assert load_turn(turn.pk).state == TurnState.VOID
    assert load_turn(following.pk).state == TurnState.VOID
    again = only_turn(turn.match)
    assert again.pk not in {turn.pk, following.pk}
    assert (again.number, again.seed != turn.seed) == (1, True)
    assert again.opens_at >= before + START_LEAD_MS
    assert isinstance(box.seal(boxed(again)), Early)
    after = play_turn(again, box, red=[7], yellow=[7])
    assert (after.red_pick, after.yellow_pick) == (7, 7)
    assert kinds(event_of(turn)).count("turn.voided") == 1


def test_turns_are_voided_one_after_the_other_back_to_the_first(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2), (3, 4)])
    for number in (2, 1):
        press(event_of(turn), "turn.void", box)
        assert only_turn(turn.match).number == number
    with refused("no turn to take back"):
        press(event_of(turn), "turn.void", box)


def test_a_late_press_voids_no_later_turn(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2), (3, 4)])
    with refused("Another turn was revealed"):
        press(event_of(turn), "turn.void", box, turn=turn.pk)
    assert load_turn(turn.pk).state == TurnState.RESOLVED


def test_the_last_turn_of_an_ended_match_may_be_voided(box: BallotBox) -> None:
    turn = start(box, next_match_after_s=30)
    play(turn.match, box, RED_WINS)
    press(event_of(turn), "turn.void", box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result, match.ended_at) == (MatchState.PLAYING, None, None)
    assert Event.objects.get(pk=event_of(turn)).next_match_at is None
    assert only_turn(match).number == 4
    play(match, box, [(1, 3)])
    assert Match.objects.get(pk=match.pk).result == "red"


def test_a_turn_is_not_voided_once_the_next_match_has_begun(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS)
    press(event_of(turn), "match.start", box)
    with refused("no turn to take back"):
        press(event_of(turn), "turn.void", box)


def test_a_turn_of_an_aborted_match_is_not_voided(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2)])
    press(event_of(turn), "match.abort", box)
    with refused("no turn to take back"):
        press(event_of(turn), "turn.void", box)


def test_a_paused_turn_goes_with_the_one_before_it(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2)])
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.void", box)
    assert (only_turn(turn.match).number, only_turn(turn.match).state) == (1, TurnState.OPEN)


# ------------------------------------------------------------------ abort
@pytest.mark.parametrize("paused", [False, True])
def test_an_aborted_match_is_over_and_the_next_may_start(paused: bool, box: BallotBox) -> None:
    turn = start(box)
    if paused:
        press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "match.abort", box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result) == (MatchState.ABORTED, None)
    assert live_turn(match) is None
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.VOID
    press(event_of(turn), "match.start", box)
    assert kinds(event_of(turn))[-2:] == ["match.aborted", "match.started"]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("match.abort", "No match is playing"),
        ("turn.pause", "No turn is open"),
        ("turn.resume", "No turn is open"),
        ("turn.extend", "No turn is open"),
        ("turn.close", "No turn is open"),
        ("turn.void", "no turn to take back"),
    ],
)
def test_without_a_match_there_is_nothing_to_do(action: Action, words: str, box: BallotBox) -> None:
    event = new_event()
    with refused(words):
        press(event.pk, action, box)


def test_a_match_is_not_started_while_one_is_playing(box: BallotBox) -> None:
    turn = start(box)
    with refused("playing already"):
        press(event_of(turn), "match.start", box)


def test_an_action_touches_no_other_event(box: BallotBox) -> None:
    mine, other = start(box), start(box)
    with refused("over already"):
        press(event_of(mine), "turn.close", box, turn=other.pk)
    press(event_of(mine), "turn.extend", box, turn=mine.pk)
    assert load_turn(other.pk).version == 1


# ------------------------------------------------------------------ races
def test_who_acts_on_what_another_has_changed_is_refused(box: BallotBox) -> None:
    turn = start(box)
    stale = load_turn(turn.pk)
    press(event_of(turn), "turn.extend", box)
    with refused("Somebody else was faster"):
        pause_turn(stale, box)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("action", "kind"),
    [("turn.pause", "turn.paused"), ("turn.close", "turn.revealed"), ("match.abort", "match.aborted")],
)
def test_of_organizers_that_press_at_once_one_succeeds(action: Action, kind: str, box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    event_id = event_of(turn)
    ask = {} if action == "match.abort" else {"turn": turn.pk}
    losers = at_once(4, lambda own: press(event_id, action, own, **ask))
    assert len(losers) == 3
    assert kinds(event_id).count(kind) == 1


@pytest.mark.django_db(transaction=True)
def test_of_organizers_that_void_at_once_each_voids_another_turn_or_none(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2)])
    losers = at_once(3, lambda own: press(event_of(turn), "turn.void", own))
    assert len(losers) == 2
    assert kinds(event_of(turn)).count("turn.voided") == 1
    assert only_turn(turn.match).number == 1


@pytest.mark.django_db(transaction=True)
def test_a_pause_and_a_close_at_once_leave_one_of_the_two(box: BallotBox) -> None:
    turn = start(box)
    event_id = event_of(turn)
    presses: list[Callable[[BallotBox], None]] = [
        lambda own: press(event_id, "turn.pause", own, turn=turn.pk),
        lambda own: press(event_id, "turn.close", own, turn=turn.pk),
        lambda own: press(event_id, "turn.void", own),
    ]
    at_once(3, lambda own: presses.pop()(own))  # noqa: PLW0108  each thread pops its own
    after = load_turn(turn.pk)
    assert after.state in {TurnState.PAUSED, TurnState.RESOLVED, TurnState.VOID}
    assert turn.match.turns.filter(state__in=["open", "paused"]).count() == 1
    seqs = list(Announcement.objects.filter(event_id=event_id).order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


# ------------------------------------------------------------------ a box that is away
class SilentBox(BallotBox):
    """Tells the time, but takes no window."""

    def place(self, turn: BoxedTurn, *, create: bool) -> bool:
        raise TimeoutError("Timeout reading from socket")


def test_what_is_committed_is_done_though_the_box_does_not_answer(box: BallotBox) -> None:
    turn = start(box)
    silent = SilentBox()
    press(event_of(turn), "turn.extend", silent, turn=turn.pk, seconds=60)
    silent.close()
    assert load_turn(turn.pk).closes_at == turn.closes_at + 60_000
    assert kinds(event_of(turn))[-1] == "turn.moved"

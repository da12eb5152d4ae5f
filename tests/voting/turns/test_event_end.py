"""The planned end of an event: the live match is aborted, and none starts."""

import pytest

from tests.voting.action_helpers import refused
from tests.voting.event_states import last_announced
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, run_out, start, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, TurnState
from voting.terms import MatchState
from voting.turns.closing import close_turn
from voting.turns.event_end import end_event
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, start_match
from voting.turns.voiding import take_back_turn

pytestmark = pytest.mark.django_db
MINUTE_MS = 60_000


def test_scheduler_aborts_live_match_only_at_event_end(box: BallotBox) -> None:
    ending, other, later = (start(box) for _ in range(3))
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    for turn, ends_in_ms in ((ending, 0), (later, MINUTE_MS)):
        Event.objects.filter(pk=turn.match.event_id).update(ends_at=box.now() + ends_in_ms)
    for _ in range(2):
        scheduler.chores_at -= 2
        scheduler.run_once()
    states = dict(Match.objects.values_list("pk", "state"))
    playing = dict.fromkeys((other.match_id, later.match_id), MatchState.PLAYING)
    assert states == {ending.match_id: MatchState.ABORTED} | playing
    assert load_turn(ending.pk).state == TurnState.VOID
    state = last_announced(ending.match.event_id)
    assert (state.match and state.match.state, state.match and state.match.turn) == ("aborted", None)


def test_no_match_starts_after_event_end(box: BallotBox) -> None:
    event = new_event()
    Event.objects.update(ends_at=box.now() + MINUTE_MS, next_match_at=box.now())
    start_match(event.pk, box)
    over = new_event()
    Event.objects.filter(pk=over.pk).update(ends_at=box.now(), next_match_at=box.now())
    with refused("The event is over"):
        start_match(over.pk, box)
    DeadlineScheduler(box).run_once()
    assert (over.matches.count(), Event.objects.get(pk=over.pk).next_match_at) == (0, None)


@pytest.mark.parametrize(("ends_in_ms", "planned"), [(MINUTE_MS // 2, False), (10 * MINUTE_MS, True)])
def test_next_match_is_planned_only_before_event_end(ends_in_ms: int, planned: bool, box: BallotBox) -> None:
    event = new_event(next_match_after_s=60)
    match = only_turn(start_match(event.pk, box)).match
    Event.objects.update(ends_at=box.now() + ends_in_ms)
    play(match, box, RED_WINS)
    assert (Event.objects.get().next_match_at is not None) is planned


def test_turn_whose_window_is_over_is_counted_before_the_event_ends(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    run_out(turn, box)
    Event.objects.update(ends_at=box.now())
    end_event(turn.match.event_id, box)
    assert load_turn(turn.pk).state == TurnState.OPEN
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    end_event(turn.match.event_id, box)
    assert Match.objects.get().state == MatchState.ABORTED


def test_finished_match_keeps_its_result_after_event_end(box: BallotBox) -> None:
    match = start(box).match
    play(match, box, RED_WINS)
    Event.objects.update(ends_at=box.now() + MINUTE_MS)
    take_back_turn(match.event_id, box, lambda _: None)
    play(match, box, RED_WINS[-1:])
    Event.objects.update(ends_at=box.now())
    with refused("The event is over"):
        take_back_turn(match.event_id, box, lambda _: None)
    assert Match.objects.get().state == MatchState.ENDED

"""A match from its start to its end, and to the next one."""

from random import Random

import pytest

from games.matches import MatchError, live_turn, load_position
from games.models import Event, Lobby, Match, MatchState, TurnState
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import CLASSIC, RED_WINS, kinds, new_event, only_turn, play, play_turn, start
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.types import Early
from voting.counting.window import START_LEAD_MS
from voting.models import TallyRecord
from voting.turns.turns import boxed, load_turn, start_due_match, start_match

pytestmark = pytest.mark.django_db


# ------------------------------------------------------------------ start
def test_a_match_starts_with_its_first_turn_in_the_box(box: BallotBox) -> None:
    event = new_event(window_s=20)
    before = box.now()
    match = start_match(event.pk, box)
    turn = only_turn(match)
    assert (turn.number, turn.state, turn.version, turn.epoch) == (1, TurnState.OPEN, 1, 1)
    assert before <= turn.opens_at - START_LEAD_MS <= box.now()
    assert turn.closes_at - turn.opens_at == 20_000
    assert box.seal(boxed(turn)) == Early(turn.closes_at)
    assert kinds(event.pk) == ["match.started"]


def test_the_doors_open_with_the_first_match_and_stay_locked_if_they_were(box: BallotBox) -> None:
    for before, after in [("closed", "open"), ("open", "open"), ("locked", "locked")]:
        event = new_event(lobby=before)
        start_match(event.pk, box)
        assert Event.objects.get(pk=event.pk).lobby == Lobby(after)


def test_there_is_one_match_at_a_time(box: BallotBox) -> None:
    event = new_event()
    start_match(event.pk, box)
    with pytest.raises(MatchError, match="playing already"):
        start_match(event.pk, box)
    assert event.matches.count() == 1
    assert kinds(event.pk) == ["match.started"]


def test_a_game_that_is_not_there_starts_nothing(box: BallotBox) -> None:
    event = new_event(game="draughts")
    with pytest.raises(MatchError, match="cannot be played"):
        start_match(event.pk, box)
    assert not event.matches.exists()
    assert not kinds(event.pk)


@pytest.mark.django_db(transaction=True)
def test_of_many_that_start_a_match_at_once_one_does(box: BallotBox) -> None:
    event = new_event()
    refused = at_once(4, lambda own: start_match(event.pk, own))
    assert len(refused) == 3
    assert event.matches.count() == 1
    assert kinds(event.pk) == ["match.started"]


# ------------------------------------------------------------------ to the end and to the next one
def test_a_match_ends_with_a_line_and_the_next_one_is_scheduled(box: BallotBox) -> None:
    event = new_event(next_match_after_s=30, reveal_s=6)
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    match = Match.objects.get(pk=match.pk)
    last = match.turns.get(number=4)
    assert (match.state, match.result, match.ended_by) == (MatchState.ENDED, "red", "board")
    assert match.ended_at == last.resolved_at
    assert live_turn(match) is None
    assert last.resolved_at is not None
    assert Event.objects.get(pk=event.pk).next_match_at == last.resolved_at + 36_000


def test_without_a_pause_between_matches_none_is_scheduled(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS)
    assert Event.objects.get(pk=turn.match.event_id).next_match_at is None


def test_a_scheduled_match_starts_when_its_time_has_come_and_once(box: BallotBox) -> None:
    event = new_event(next_match_after_s=30)
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    start_due_match(event.pk, box)
    assert event.matches.count() == 1
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
    for _ in range(2):
        start_due_match(event.pk, box)
    assert [m.number for m in event.matches.order_by("pk")] == [1, 2]
    assert Event.objects.get(pk=event.pk).next_match_at is None
    assert kinds(event.pk).count("match.started") == 2


def test_a_due_match_that_cannot_be_played_is_called_off_and_everyone_is_told(box: BallotBox) -> None:
    event = new_event(game="draughts")
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
    start_due_match(event.pk, box)
    event.refresh_from_db()
    assert event.next_match_at is None
    assert kinds(event.pk) == ["event.edited"]


def test_in_the_classic_game_one_side_votes_a_turn(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "yellow"})
    first = play_turn(turn, box, red=[1, 1], yellow=[4])
    assert (first.red_pick, first.yellow_pick) == (None, 4)
    assert [t.side for t in TallyRecord.objects.filter(turn=first)] == ["yellow"]
    second = play_turn(only_turn(turn.match), box, red=[5], yellow=[2, 2])
    assert (second.red_pick, second.yellow_pick) == (5, None)


def test_the_lot_for_who_begins_is_drawn_when_the_match_is_made(box: BallotBox) -> None:
    event = new_event(game=CLASSIC, options={"first": "lot"})
    match = start_match(event.pk, box)
    assert match.options["first"] in {"red", "yellow"}
    assert Event.objects.get(pk=event.pk).options == {"first": "lot"}


def test_a_whole_match_fills_the_board(box: BallotBox) -> None:
    """Every column is illegal once it is full; nobody's ballots are ever for one."""
    turn = start(box, options={"columns": 6}, tally_method="lottery")
    picks = Random(5)
    match = turn.match
    for _ in range(40):
        live = live_turn(match)
        if live is None:
            break
        legal = load_position(match).game.legal_actions(load_position(match).state, "red")
        crowd = [[picks.choice(legal) for _ in range(3)] for _ in range(2)]
        play_turn(load_turn(live.pk), box, *crowd)
    match.refresh_from_db()
    assert match.state == MatchState.ENDED
    assert load_position(match).game.result(load_position(match).state) == match.result

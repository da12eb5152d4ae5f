"""Voiding turns: one at a time, newest first, and none of a match that is over for good."""

import pytest

from games.models import Event, Match, MatchState, TurnState
from tests.voting.action_helpers import event_of, press, refused
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, kinds, only_turn, play, play_turn, start
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import TooEarly
from voting.counting.window import START_LEAD_MS
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


def test_voided_turn_is_voted_again(box: BallotBox) -> None:
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
    assert isinstance(box.seal(to_boxed_turn(again)), TooEarly)
    after = play_turn(again, box, red=[7], yellow=[7])
    assert (after.red_pick, after.yellow_pick) == (7, 7)
    assert kinds(event_of(turn)).count("turn.voided") == 1


def test_turns_are_voided_back_to_the_first(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2), (3, 4)])
    for number in (2, 1):
        press(event_of(turn), "turn.void", box)
        assert only_turn(turn.match).number == number
    with refused("no turn to take back"):
        press(event_of(turn), "turn.void", box)


def test_void_of_an_earlier_turn_is_refused(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2), (3, 4)])
    with refused("Another turn has been revealed"):
        press(event_of(turn), "turn.void", box, turn=turn.pk)
    assert load_turn(turn.pk).state == TurnState.RESOLVED


def test_last_turn_of_ended_match_can_be_voided(box: BallotBox) -> None:
    turn = start(box, next_match_after_s=30)
    play(turn.match, box, RED_WINS)
    press(event_of(turn), "turn.void", box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result, match.ended_at) == (MatchState.PLAYING, None, None)
    assert Event.objects.get(pk=event_of(turn)).next_match_at is None
    assert only_turn(match).number == 4
    play(match, box, [(1, 3)])
    assert Match.objects.get(pk=match.pk).result == "red"


def test_turn_cannot_be_voided_after_next_match_starts(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS)
    press(event_of(turn), "match.start", box)
    with refused("no turn to take back"):
        press(event_of(turn), "turn.void", box)


def test_turn_of_aborted_match_cannot_be_voided(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2)])
    press(event_of(turn), "match.abort", box)
    with refused("no turn to take back"):
        press(event_of(turn), "turn.void", box)


def test_void_discards_paused_turn_and_the_one_before(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2)])
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.void", box)
    assert (only_turn(turn.match).number, only_turn(turn.match).state) == (1, TurnState.OPEN)


@pytest.mark.django_db(transaction=True)
def test_concurrent_voids_void_one_turn(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2)])
    losers = at_once(3, lambda own: press(event_of(turn), "turn.void", own))
    assert len(losers) == 2
    assert kinds(event_of(turn)).count("turn.voided") == 1
    assert only_turn(turn.match).number == 1

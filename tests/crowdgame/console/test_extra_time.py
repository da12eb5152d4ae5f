"""Extra time for every turn, from the next one on, in this match and later ones."""

import pytest

from crowdgame.console.actions.turn_time import MAX_EXTRA_S
from games.models import Event, Turn
from tests.voting.action_helpers import event_of, press, refused
from tests.voting.match_helpers import kinds, new_event, only_turn, play, play_turn, start
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def length_s(turn: Turn) -> int:
    return (turn.closes_at - turn.opens_at) // 1000


def test_extra_time_applies_from_next_turn(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    press(event_of(turn), "turn.extra_time", box, seconds=30)
    assert length_s(load_turn(turn.pk)) == 20, "the turn already planned keeps its time"
    play_turn(turn, box, red=[1], yellow=[2])
    longer = only_turn(turn.match)
    assert length_s(longer) == 50
    press(event_of(turn), "turn.extra_time", box)
    play_turn(longer, box, red=[3], yellow=[4])
    assert length_s(only_turn(turn.match)) == 20


def test_extra_time_belongs_to_event_and_keeps_match_terms(box: BallotBox) -> None:
    event = new_event(window_s=20)
    press(event.pk, "turn.extra_time", box, seconds=60)
    press(event.pk, "match.start", box)
    turn = only_turn(event.matches.get())
    assert (length_s(turn), turn.match.window_s) == (80, 20)
    play(turn.match, box, [(1, 2), (1, 3), (1, 2), (1, 3)])
    press(event.pk, "match.start", box)
    assert length_s(only_turn(event.matches.get(number=2))) == 80
    state = load_snapshot(Event.objects.get(pk=event.pk))
    assert (state.extra_s, state.match.window_s if state.match else None) == (60, 20)
    assert kinds(event.pk)[0] == "event.edited"


def test_voided_turn_uses_current_extra_time(box: BallotBox) -> None:
    turn = start(box, window_s=20)
    play_turn(turn, box, red=[1], yellow=[2])
    press(event_of(turn), "turn.extra_time", box, seconds=10)
    press(event_of(turn), "turn.void", box)
    assert length_s(only_turn(turn.match)) == 30


def test_extra_time_is_limited(box: BallotBox) -> None:
    event = new_event()
    with refused("Already done"):
        press(event.pk, "turn.extra_time", box)
    with refused("at most 10 min per turn"):
        press(event.pk, "turn.extra_time", box, seconds=MAX_EXTRA_S + 1)

"""The organizer shows a reveal longer: the next window moves, and opens no earlier than in a second."""

import pytest

from games.models import Turn
from tests.voting.action_helpers import event_of, press, refused
from tests.voting.match_helpers import only_turn, open_now, play, set_window, start
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def revealed(box: BallotBox, **choices: int) -> Turn:
    """The turn after the one that is being revealed."""
    turn = start(box, **choices)
    play(turn.match, box, [(1, 2)])
    return only_turn(turn.match)


def times(turn: Turn) -> tuple[int, int]:
    turn = load_turn(turn.pk)
    return turn.opens_at, turn.closes_at


def test_extension_moves_whole_window_and_shortening_moves_it_back(box: BallotBox) -> None:
    turn = revealed(box, reveal_s=60)
    opens_at, closes_at = times(turn)
    press(event_of(turn), "reveal.extend", box, seconds=30)
    assert times(turn) == (opens_at + 30_000, closes_at + 30_000)
    press(event_of(turn), "reveal.shorten", box, seconds=30)
    assert times(turn) == (opens_at, closes_at)


def test_shortened_reveal_lasts_another_second(box: BallotBox) -> None:
    turn = revealed(box, reveal_s=60)
    now, window = box.now(), turn.closes_at - turn.opens_at
    press(event_of(turn), "reveal.shorten", box, seconds=600)
    opens_at, closes_at = times(turn)
    assert now + 1_000 <= opens_at <= box.now() + 1_000
    assert closes_at - opens_at == window


@pytest.mark.parametrize("action", ["reveal.extend", "reveal.shorten"])
def test_reveal_cannot_be_moved_outside_its_time(action: str, box: BallotBox) -> None:
    first = start(box, talk_s=60)
    with refused("No reveal is being shown"):
        press(event_of(first), action, box)
    turn = revealed(box, talk_s=60, reveal_s=60)
    set_window(turn, box, 59_000, 99_000)
    with refused("No reveal is being shown"):
        press(event_of(turn), action, box)
    open_now(load_turn(turn.pk), box)
    with refused("No reveal is being shown"):
        press(event_of(turn), action, box)

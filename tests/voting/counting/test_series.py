"""Series of matches: the score, and the automatic start of the next match."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, new_event, play
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.series import Series, current_series, series_starts
from voting.models import Event, Match
from voting.turns.turns import start_match

YELLOW_WINS = [(yellow, red) for red, yellow in RED_WINS]
winners = st.lists(st.sampled_from([1, 2, None]), max_size=40)
lengths = st.integers(1, 21)


@given(winners, lengths)
def test_series_ends_with_first_decisive_win(ended: list[int | None], best_of: int) -> None:
    """Splitting the history into series from the beginning, the last piece is the current one."""
    piece: list[int | None] = []
    for winner in ended:
        if any(piece.count(team) * 2 > best_of for team in (1, 2)):
            piece = []
        piece.append(winner)
    won = (piece.count(1), piece.count(2))
    decided = [team for team in (1, 2) if won[team - 1] * 2 > best_of]
    assert current_series(ended, best_of) == Series(won, decided[0] if decided else None)
    assert current_series(ended, None) == Series((ended.count(1), ended.count(2)), None), "never ends"


@given(winners, lengths)
def test_series_starts_split_history_without_changing_score(ended: list[int | None], best_of: int) -> None:
    starts = series_starts(ended, best_of)
    assert starts[0] == 0
    assert all(current_series(ended[first:], best_of) == current_series(ended, best_of) for first in starts)
    assert all(current_series(ended[:first], best_of).winner for first in starts[1:])
    for first, end in pairwise([*starts, len(ended)]):
        assert not any(current_series(ended[first:at], best_of).winner for at in range(first, end))


# ------------------------------------------------------------------ played matches
def play_next_match(event: Event, box: BallotBox, picks: list[tuple[int, int]]) -> int | None:
    """Play the event's next match; return the time at which the one after it starts."""
    play(start_match(event.pk, box), box, picks)
    event.refresh_from_db()
    return event.next_match_at


@pytest.mark.django_db
def test_next_match_is_scheduled_until_series_is_decided(box: BallotBox) -> None:
    event, endless = new_event(best_of=3, next_match_after_s=30), new_event(next_match_after_s=30)
    wins = (RED_WINS, YELLOW_WINS, RED_WINS, YELLOW_WINS, YELLOW_WINS)
    scheduled = [play_next_match(event, box, picks) is not None for picks in wins]
    assert scheduled == [True, True, False, True, False], "a new series starts with the fourth match"
    assert all(play_next_match(endless, box, RED_WINS) for _ in range(2))


@pytest.mark.django_db
def test_voided_last_turn_reopens_decided_series(box: BallotBox) -> None:
    event = new_event(best_of=3, next_match_after_s=30)
    play_next_match(event, box, RED_WINS)
    assert play_next_match(event, box, RED_WINS) is None
    press(event.pk, "turn.void", box)
    match = Match.objects.get(event=event, number=2)
    play(match, box, [(7, 4), (7, 5)])
    match.refresh_from_db()
    event.refresh_from_db()
    assert match.result == "yellow"
    assert event.next_match_at is not None

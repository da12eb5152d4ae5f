"""Series of matches: who has won how many, and when the next match begins by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.models import Event, Match
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, new_event, play
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.series import Series, current_series, series_starts
from voting.turns.turns import start_match

YELLOW_WINS = [(yellow, red) for red, yellow in RED_WINS]
winners = st.lists(st.sampled_from([1, 2, None]), max_size=40)
lengths = st.integers(1, 21)


@pytest.mark.parametrize(
    ("ended", "best_of", "won", "winner"),
    [
        ([], 3, (0, 0), None),
        ([1, None, 2], 3, (1, 1), None),
        ([1, None, 2, 1], 3, (2, 1), 1),
        ([1, 1, 2], 3, (0, 1), None),
        ([1, 1, None], 3, (0, 0), None),
        ([1, 1, None, 2, 2], 3, (0, 2), 2),
        ([2, 2], 4, (0, 2), None),
        ([2, 2, 2], 4, (0, 3), 2),
        ([2, 1], 1, (1, 0), 1),
        ([1, 1, 1, 1, 2], None, (4, 1), None),
    ],
)
def test_how_a_series_stands(
    ended: list[int | None], best_of: int | None, won: tuple[int, int], winner: int | None
) -> None:
    assert current_series(ended, best_of) == Series(won, winner)


@given(winners, lengths)
def test_a_series_ends_with_the_first_win_that_is_enough(ended: list[int | None], best_of: int) -> None:
    """Cut into series from the beginning, the last piece is the one that stands."""
    piece: list[int | None] = []
    for winner in ended:
        if any(piece.count(team) * 2 > best_of for team in (1, 2)):
            piece = []
        piece.append(winner)
    won = (piece.count(1), piece.count(2))
    decided = [team for team in (1, 2) if won[team - 1] * 2 > best_of]
    assert current_series(ended, best_of) == Series(won, decided[0] if decided else None)


@given(winners)
def test_without_a_length_all_wins_are_counted_and_nothing_is_decided(ended: list[int | None]) -> None:
    assert current_series(ended, None) == Series((ended.count(1), ended.count(2)), None)


@given(winners, lengths)
def test_from_where_a_series_begins_it_stands_the_same(ended: list[int | None], best_of: int) -> None:
    begins = series_starts(ended, best_of)
    assert begins[0] == 0
    assert all(current_series(ended[begin:], best_of) == current_series(ended, best_of) for begin in begins)
    assert all(current_series(ended[:begin], best_of).winner for begin in begins[1:])


# ------------------------------------------------------------------ as it is played
def won(event: Event, box: BallotBox, picks: list[tuple[int, int]]) -> int | None:
    """Play the event's next match; when the one after it begins."""
    play(start_match(event.pk, box), box, picks)
    event.refresh_from_db()
    return event.next_match_at


@pytest.mark.django_db
def test_no_match_begins_by_itself_once_the_series_is_decided(box: BallotBox) -> None:
    event = new_event(best_of=3, next_match_after_s=30)
    assert won(event, box, RED_WINS) is not None
    assert won(event, box, YELLOW_WINS) is not None
    assert won(event, box, RED_WINS) is None
    assert won(event, box, YELLOW_WINS) is not None, "it begins another series"
    assert won(event, box, YELLOW_WINS) is None


@pytest.mark.django_db
def test_a_decided_series_goes_on_if_its_last_turn_is_taken_back(box: BallotBox) -> None:
    event = new_event(best_of=3, next_match_after_s=30)
    won(event, box, RED_WINS)
    assert won(event, box, RED_WINS) is None
    press(event.pk, "turn.void", box)
    match = Match.objects.get(event=event, number=2)
    play(match, box, [(7, 4), (7, 5)])
    match.refresh_from_db()
    event.refresh_from_db()
    assert match.result == "yellow"
    assert event.next_match_at is not None


@pytest.mark.django_db
def test_without_a_length_the_next_match_always_begins_by_itself(box: BallotBox) -> None:
    event = new_event(next_match_after_s=30)
    assert won(event, box, RED_WINS) is not None
    assert won(event, box, RED_WINS) is not None

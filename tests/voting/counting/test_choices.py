"""The encoding of a ballot's choice as a number is unambiguous in both directions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voting.counting.ballots import (
    DRAW,
    RESIGN,
    decode_columns,
    encode_ranking,
    encode_set,
    largest_set,
    resigns,
)
from voting.counting.methods.voting_method import METHODS, VotingMethod
from voting.protocol import MAX_CHOICE

rankings = st.lists(st.integers(1, 255), min_size=1, max_size=3, unique=True)


@given(rankings, st.booleans())
def test_ranking_round_trips_through_encoding(columns: list[int], resigning: bool) -> None:
    choice = encode_ranking(columns) + RESIGN * resigning
    assert decode_columns(choice) == tuple(columns)
    assert resigns(choice) is resigning
    assert choice <= MAX_CHOICE


@pytest.mark.parametrize(("most", "largest"), [(1, 29), (2, 18), (5, 11), (7, 9)])
@given(data=st.data(), resigning=st.booleans())
def test_set_round_trips_through_encoding(
    most: int, largest: int, data: st.DataObject, resigning: bool
) -> None:
    assert largest_set(most) == largest
    times = st.dictionaries(st.integers(1, largest), st.integers(1, most), min_size=1)
    columns = [column for column, number in data.draw(times).items() for _ in range(number)]
    choice = encode_set(columns, most) + RESIGN * resigning
    assert decode_columns(choice, most) == tuple(sorted(columns))
    assert resigns(choice) is resigning
    assert choice <= MAX_CHOICE


@given(st.integers(1, 255))
def test_single_column_is_its_own_encoding(column: int) -> None:
    assert encode_ranking([column]) == encode_set([column]) == encode_set([column], 2) == column
    assert decode_columns(column) == decode_columns(column, 2) == (column,)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize(
    ("may_resign", "draw_offers", "accepted"),
    [
        (False, False, [1]),
        (True, False, [1, RESIGN + 1]),
        (False, True, [1, DRAW + 1]),
        (True, True, [1, RESIGN + 1, DRAW + 1]),
    ],
)
def test_choice_has_one_column_at_least_and_one_allowed_wish_at_most(
    method: VotingMethod, may_resign: bool, draw_offers: bool, accepted: list[int]
) -> None:
    choices = [-1, 0, 1, RESIGN, RESIGN + 1, DRAW, DRAW + 1, DRAW + RESIGN + 1, 2 * DRAW + 1]
    wishes = {"may_resign": may_resign, "draw_offers": draw_offers}
    assert [choice for choice in choices if method.accepts(choice, [1, 2], **wishes)] == accepted

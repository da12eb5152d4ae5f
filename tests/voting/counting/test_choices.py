"""The encoding of a ballot's choice as a number is unambiguous in both directions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voting.counting.ballots import RESIGN, decode_columns, encode_ranking, encode_set, largest_set, resigns
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
def test_choice_has_one_column_at_least_and_one_request_to_resign_at_most(method: VotingMethod) -> None:
    choices = [-1, 0, 1, RESIGN, RESIGN + 1, 2 * RESIGN, 2 * RESIGN + 1]
    assert [choice for choice in choices if method.accepts(choice, [1, 2], may_resign=True)] == [
        1,
        RESIGN + 1,
    ]
    assert not method.accepts(RESIGN + 1, [1, 2], may_resign=False)

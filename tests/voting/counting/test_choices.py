"""The encoding of a ballot's choice as a number is unambiguous in both directions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voting.counting.choices import (
    MAX_SET_COLUMNS,
    RESIGN,
    SET,
    decode_columns,
    encode_ranking,
    encode_set,
    is_valid_choice,
    resigns,
)
from voting.counting.types import TallyMethod
from voting.protocol import MAX_CHOICE

METHODS: tuple[TallyMethod, ...] = ("plurality", "lottery", "approval", "instant_runoff")
LEGAL = (1, 2, 4, 7)
INVALID = (0, -1, 3, 256, RESIGN, RESIGN + 1, 2 * RESIGN + 1)
rankings = st.lists(st.integers(1, 255), min_size=1, max_size=3, unique=True)
sets = st.sets(st.integers(1, MAX_SET_COLUMNS), min_size=1)
numbers = st.one_of(st.integers(1, MAX_CHOICE), st.integers(1, 2000), st.integers(SET, SET + 200))


def is_valid(choice: int, method: TallyMethod, *, may_resign: bool = False) -> bool:
    return is_valid_choice(choice, method, LEGAL, may_resign=may_resign)


@given(rankings, st.booleans())
def test_ranking_round_trips_through_encoding(columns: list[int], resigning: bool) -> None:
    choice = encode_ranking(columns) + RESIGN * resigning
    assert decode_columns(choice) == tuple(columns)
    assert resigns(choice) is resigning
    assert choice <= MAX_CHOICE


@given(sets, st.booleans())
def test_set_round_trips_through_encoding(columns: set[int], resigning: bool) -> None:
    choice = encode_set(columns) + RESIGN * resigning
    assert decode_columns(choice) == tuple(sorted(columns))
    assert resigns(choice) is resigning
    assert choice <= MAX_CHOICE


@given(st.integers(1, 255))
def test_single_column_is_its_own_encoding_under_any_method(column: int) -> None:
    assert encode_ranking([column]) == column
    assert decode_columns(column) == (column,)
    assert all(is_valid_choice(column, method, [column], may_resign=False) for method in METHODS)


@given(numbers, st.sampled_from(METHODS))
def test_valid_choice_has_one_encoding_only(choice: int, method: TallyMethod) -> None:
    if is_valid(choice, method, may_resign=True):
        columns = decode_columns(choice)
        encoded = encode_set(columns) if method == "approval" else encode_ranking(columns)
        assert choice % RESIGN == encoded
        assert set(columns) <= set(LEGAL)
        assert len(columns) == 1 or method in ("approval", "instant_runoff")


@pytest.mark.parametrize(
    ("method", "choice"),
    [
        ("plurality", encode_ranking([1, 2])),
        ("plurality", encode_set([1, 2])),
        ("lottery", encode_set([1, 2])),
        ("approval", encode_ranking([1, 2])),
        ("approval", SET),
        ("approval", SET + 1),
        ("approval", encode_set([1, 3])),
        ("instant_runoff", encode_set([1, 2])),
        ("instant_runoff", encode_ranking([1, 1])),
        ("instant_runoff", encode_ranking([1, 3])),
        ("instant_runoff", encode_ranking([1, 0, 2])),
        ("instant_runoff", encode_ranking([0, 1])),
        ("instant_runoff", encode_ranking([1, 2, 4, 7])),
        *[(method, choice) for method in METHODS for choice in INVALID],
    ],
)
def test_is_valid_choice_rejects_choice_of_other_method_or_columns(method: TallyMethod, choice: int) -> None:
    assert not is_valid(choice, method)


def test_resignation_needs_a_column_and_permission() -> None:
    for method in METHODS:
        assert is_valid(RESIGN + 4, method, may_resign=True)
        assert not is_valid(RESIGN + 4, method)
        assert not is_valid(RESIGN, method, may_resign=True)
    assert is_valid(RESIGN + encode_set([1, 7]), "approval", may_resign=True)
    assert is_valid(RESIGN + encode_ranking([7, 1]), "instant_runoff", may_resign=True)

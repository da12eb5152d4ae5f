"""A ballot's number says one thing only, and what it says is told in one way only."""

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
NEVER = (0, -1, 3, 256, RESIGN, RESIGN + 1, 2 * RESIGN + 1)
rankings = st.lists(st.integers(1, 255), min_size=1, max_size=3, unique=True)
sets = st.sets(st.integers(1, MAX_SET_COLUMNS), min_size=1)
numbers = st.one_of(st.integers(1, MAX_CHOICE), st.integers(1, 2000), st.integers(SET, SET + 200))


def fits(choice: int, method: TallyMethod, *, may_resign: bool = False) -> bool:
    return is_valid_choice(choice, method, LEGAL, may_resign=may_resign)


@given(rankings, st.booleans())
def test_a_ranking_is_read_as_it_was_said(columns: list[int], wish: bool) -> None:
    choice = encode_ranking(columns) + RESIGN * wish
    assert decode_columns(choice) == tuple(columns)
    assert resigns(choice) is wish
    assert choice <= MAX_CHOICE


@given(sets, st.booleans())
def test_a_set_is_read_as_it_was_said(columns: set[int], wish: bool) -> None:
    choice = encode_set(columns) + RESIGN * wish
    assert decode_columns(choice) == tuple(sorted(columns))
    assert resigns(choice) is wish
    assert choice <= MAX_CHOICE


@given(st.integers(1, 255))
def test_a_column_alone_is_its_own_number_in_every_way(column: int) -> None:
    assert encode_ranking([column]) == column
    assert decode_columns(column) == (column,)
    assert all(is_valid_choice(column, method, [column], may_resign=False) for method in METHODS)


@given(numbers, st.sampled_from(METHODS))
def test_what_fits_is_said_in_one_way_only(choice: int, method: TallyMethod) -> None:
    if fits(choice, method, may_resign=True):
        columns = decode_columns(choice)
        said = encode_set(columns) if method == "approval" else encode_ranking(columns)
        assert choice % RESIGN == said
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
        *[(method, choice) for method in METHODS for choice in NEVER],
    ],
)
def test_what_does_not_fit(method: TallyMethod, choice: int) -> None:
    assert not fits(choice, method)


def test_who_wishes_to_resign_says_a_column_too() -> None:
    for method in METHODS:
        assert fits(RESIGN + 4, method, may_resign=True)
        assert not fits(RESIGN + 4, method)
        assert not fits(RESIGN, method, may_resign=True)
    assert fits(RESIGN + encode_set([1, 7]), "approval", may_resign=True)
    assert fits(RESIGN + encode_ranking([7, 1]), "instant_runoff", may_resign=True)

"""The contract of every voting method in the registry."""

import re
from functools import partial
from random import Random
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voting.counting.method_cases import CASES, COLUMNS, LEGAL
from voting.counting.ballots import (
    DRAW,
    RESIGN,
    SET,
    Ballot,
    decode_columns,
    encode_set,
    largest_set,
    resigns,
)
from voting.counting.commitments import draw_lot
from voting.counting.methods.voting_method import DEFAULT_METHOD, METHODS, UnknownMethod, find_method
from voting.counting.tally import SideBallots, TallyTerms, decide
from voting.models import Event, TallyRecord
from voting.protocol import MAX_CHOICE
from voting.terms import NoBallotRule, TieRule

BOARD = 7
#: Choices that no method accepts: an illegal column, an unknown one, a set of none or of one.
INVALID = (3, 256, SET, SET + 1)
numbers = st.one_of(st.integers(1, MAX_CHOICE), st.integers(1, 2000), st.integers(SET, SET + 200))
every_method = pytest.mark.parametrize("name", METHODS)


def test_methods_are_distinct_and_have_cases() -> None:
    assert set(CASES) == set(METHODS)
    assert len({method.decided_by for method in METHODS.values()}) == len(METHODS)
    assert find_method(None).name == next(iter(METHODS)) == DEFAULT_METHOD
    with pytest.raises(UnknownMethod, match="loudest"):
        find_method("loudest")


@every_method
def test_texts_name_known_values_and_names_fit_their_database_columns(name: str) -> None:
    method = METHODS[name]
    assert method.name == name
    assert len(name) <= (Event._meta.get_field("tally_method").max_length or 0)
    assert len(method.decided_by) <= (TallyRecord._meta.get_field("decided_by").max_length or 0)
    assert ({field for _, field, _, _ in Formatter().parse(method.report) if field}) <= {"team", "pick"}
    captions = " ".join(method.caption + method.rounds_caption)
    assert set(re.findall(r"%\((\w+)\)s", captions)) <= {"count", "share", "round"}


# ------------------------------------------------------------------ encoding
@pytest.mark.parametrize(("most", "largest"), [(1, 29), (2, 18), (5, 11), (7, 9)])
@given(data=st.data(), wish=st.sampled_from([0, RESIGN]))
def test_set_round_trips_through_encoding(most: int, largest: int, data: st.DataObject, wish: int) -> None:
    assert largest_set(most) == largest
    times = st.dictionaries(st.integers(1, largest), st.integers(1, most), min_size=1)
    columns = sorted(column for column, number in data.draw(times).items() for _ in range(number))
    choice = encode_set(columns, most) + wish
    assert (decode_columns(choice, most), resigns(choice)) == (tuple(columns), wish == RESIGN)
    assert choice <= MAX_CHOICE


@every_method
@pytest.mark.parametrize("wishes", [(), (RESIGN,), (DRAW,), (RESIGN, DRAW)])
def test_choice_has_one_column_at_least_and_one_allowed_wish_at_most(
    name: str, wishes: tuple[int, ...]
) -> None:
    choices = [-1, 0, 1, RESIGN, RESIGN + 1, DRAW, DRAW + 1, DRAW + RESIGN + 1, 2 * DRAW + 1]
    accepts = partial(METHODS[name].accepts, may_resign=RESIGN in wishes, draw_offers=DRAW in wishes)
    assert [choice for choice in choices if accepts(choice, [1, 2])] == [1, *(wish + 1 for wish in wishes)]


@every_method
@given(data=st.data(), resigning=st.booleans())
def test_every_valid_ballot_is_accepted_in_one_encoding(
    name: str, data: st.DataObject, resigning: bool
) -> None:
    method, board = METHODS[name], range(1, COLUMNS + 1)
    choice = data.draw(CASES[name].ballots) + RESIGN * resigning
    assert choice <= MAX_CHOICE
    assert method.accepts(choice, board, may_resign=True)
    assert method.accepts(choice, board, may_resign=False) is not resigning
    assert method.encode(method.decode(choice)) == choice % RESIGN
    for column in set(method.decode(choice)):
        assert method.decode(choice).count(column) <= method.max_votes
        assert not method.accepts(choice, [other for other in board if other != column], may_resign=True)


@every_method
@given(choice=numbers)
def test_accepted_choice_has_one_encoding_only(name: str, choice: int) -> None:
    method = METHODS[name]
    if method.accepts(choice, LEGAL, may_resign=True):
        columns = method.decode(choice)
        assert set(columns) <= set(LEGAL)
        assert choice % RESIGN == method.encode(columns)
        assert len(columns) == 1 or method.allows(columns)


@every_method
def test_invalid_choices_are_refused(name: str) -> None:
    for choice in (*INVALID, *CASES[name].invalid):
        assert not METHODS[name].accepts(choice, LEGAL, may_resign=False), choice


@every_method
@given(column=st.integers(1, 255))
def test_any_column_is_its_own_number_and_can_be_encoded_with_others(name: str, column: int) -> None:
    method = METHODS[name]
    assert method.accepts(column, [column], may_resign=False)
    assert method.accepts(RESIGN + column, [column], may_resign=True)
    assert method.decode(column) == (column,)
    highest = (1, *[method.max_columns] * method.max_votes)
    if method.allows(highest):
        assert method.encode(highest) < RESIGN
        assert method.decode(method.encode(highest)) == highest


# ------------------------------------------------------------------ counting
@every_method
def test_case_is_counted_and_decided(name: str) -> None:
    case = CASES[name]
    ballots = [Ballot(f"v{place}", "red", choice, 1, place) for place, choice in enumerate(case.cast, 1)]
    terms = TallyTerms(name, TieRule.FIRST, NoBallotRule.PASS)
    draw = partial(draw_lot, "5" * 32, "red")
    decision = decide(SideBallots("red", ballots), range(1, BOARD + 1), BOARD, terms, draw)
    assert (decision.counts, decision.pick) == (case.counts, case.pick)
    assert decision.decided_by == METHODS[name].decided_by
    assert decision.ballots == len(case.cast)
    assert decision.resigning == sum(map(resigns, case.cast))
    assert max(decision.counts) <= decision.ballots * METHODS[name].max_votes


@every_method
@given(seed=st.integers(0, 2**32))
def test_sample_ballots_are_valid_and_repeatable(name: str, seed: int) -> None:
    def sample(rng: Random) -> int:
        return METHODS[name].sample(lambda: rng.choice(LEGAL), rng)

    choices = [sample(rng) for rng in [Random(seed)] for _ in range(5)]
    assert all(METHODS[name].accepts(choice, LEGAL, may_resign=False) for choice in choices)
    assert choices[0] == sample(Random(seed))

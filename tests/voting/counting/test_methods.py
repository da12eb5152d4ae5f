import re
from collections import Counter
from functools import partial
from random import Random
from string import Formatter
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from tests.voting.counting.method_cases import CASES, COLUMNS, LEGAL, scored
from tests.voting.verifiers import standalone
from voting.counting.ballots import (
    DRAW,
    RESIGN,
    SET,
    Ballot,
    decode_columns,
    encode_ranking,
    encode_set,
    largest_set,
    resigns,
)
from voting.counting.commitments import draw_lot
from voting.counting.methods.voting_method import DEFAULT_METHOD, METHODS, UnknownMethod, find_method
from voting.counting.tally import SideBallots, SideTally, TallyTerms, decide
from voting.counting.ties import TieBreaker, first_complete
from voting.models import Event, TallyRecord
from voting.protocol import MAX_CHOICE
from voting.terms import NoBallotRule, ResignShare, TieRule

BOARD = 7
#: Choices that no method accepts: an illegal column, an unknown one, a set of none or of one.
INVALID = (3, 256, SET, SET + 1)
numbers = st.one_of(st.integers(1, MAX_CHOICE), st.integers(1, 2000), st.integers(SET, SET + 200))
every_method = pytest.mark.parametrize("name", METHODS)
ALL = tuple(range(1, COLUMNS + 1))
SEED = "5" * 32


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
def test_choice_has_a_column_and_at_most_one_allowed_wish(name: str, wishes: tuple[int, ...]) -> None:
    choices = [-1, 0, 1, RESIGN, RESIGN + 1, DRAW, DRAW + 1, DRAW + RESIGN + 1, 2 * DRAW + 1]
    accepts = partial(METHODS[name].accepts, may_resign=RESIGN in wishes, draw_offers=DRAW in wishes)
    assert [choice for choice in choices if accepts(choice, [1, 2])] == [1, *(wish + 1 for wish in wishes)]


@every_method
@given(data=st.data(), resigning=st.booleans())
def test_valid_ballot_is_accepted_in_one_encoding(name: str, data: st.DataObject, resigning: bool) -> None:
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
def test_case_is_refused_or_counted_and_decided(name: str) -> None:
    for choice in (*INVALID, *CASES[name].invalid):
        assert not METHODS[name].accepts(choice, LEGAL, may_resign=False), choice
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


@every_method
@given(seed=st.integers(0, 2**32))
def test_sample_ballots_are_valid_and_repeatable(name: str, seed: int) -> None:
    def sample(rng: Random) -> int:
        return METHODS[name].sample(lambda: rng.choice(LEGAL), rng)

    choices = [sample(rng) for rng in [Random(seed)] for _ in range(5)]
    assert all(METHODS[name].accepts(choice, LEGAL, may_resign=False) for choice in choices)
    assert choices[0] == sample(Random(seed))


def ballots_of(choices: list[int]) -> list[Ballot]:
    return [Ballot(f"v{place}", "red", choice, 1, place) for place, choice in enumerate(choices, 1)]


def count(choices: list[int], terms: TallyTerms, captain: int | None = None, seed: str = SEED) -> SideTally:
    cast = SideBallots("red", ballots_of(choices), captain)
    return decide(cast, ALL, COLUMNS, terms, partial(draw_lot, seed, "red"))


def terms(method: str, tie: TieRule = TieRule.LOT, resign: ResignShare | None = None) -> TallyTerms:
    return TallyTerms(method, tie, NoBallotRule.RANDOM, resign)


@st.composite
def polls(draw: st.DrawFn, method: str, tie: TieRule) -> tuple[list[int], TallyTerms, int | None, str]:
    resign_flags = st.sampled_from([0, 0, RESIGN])
    choices = draw(st.lists(st.builds(int.__add__, CASES[method].ballots, resign_flags), max_size=9))
    no_ballot = draw(st.sampled_from(NoBallotRule))
    resign = draw(st.sampled_from([None, None, *ResignShare]))
    captain = draw(st.integers(0, len(choices) - 1)) if choices and tie == TieRule.CAPTAIN else None
    rules = TallyTerms(method, tie, cast(Any, no_ballot), cast(Any, resign))
    return choices, rules, captain, f"{draw(st.integers(0, 99)):032x}"


@pytest.mark.parametrize("tie", TieRule)
@pytest.mark.parametrize("method", METHODS)
@given(data=st.data())
def test_standalone_verifier_reaches_same_decision(data: st.DataObject, method: str, tie: TieRule) -> None:
    choices, rules, captain, seed = data.draw(polls(method, tie))
    decision = count(choices, rules, captain, seed)
    options = to_builtins(rules)
    verifier = standalone.BallotCounter(choices, COLUMNS, options, f"{seed}:red")
    verifier.captain = [] if captain is None else verifier.named[captain]
    assert verifier.decide(list(ALL)) == (decision.pick, decision.decided_by)
    assert verifier.first == list(decision.counts)
    assert verifier.rounds == list(map(list, decision.rounds or ()))


def scores(*ballots: dict[int, int]) -> list[int]:
    return [scored(points) for points in ballots]


@pytest.mark.parametrize(
    ("method", "tie", "choices", "picks", "decided_by"),  # a captain sent the first choice
    [
        ("plurality", "first", [2, 2, 3], {2}, "plurality"),
        ("plurality", "lot", [3, 2, 2], {2}, "plurality"),
        ("plurality", "first", [2, 3, 3, 2], {3}, "first"),  # column 3 is complete first
        ("plurality", "first", [5, 1, 1, 5], {1}, "first"),
        ("plurality", "lot", [1, 2, 3, 3, 2], {2, 3}, "lot"),
        ("lottery", "first", [1, 2, 2], {1, 2}, "lottery"),
        ("plurality", "captain", [1, 1, 2, 2], {1}, "captain"),
        ("plurality", "captain", [2, 1, 2, 1], {2}, "captain"),
        ("plurality", "captain", [3, 1, 1, 2, 2], {1, 2}, "lot"),
        ("plurality", "captain", [1, 2, 2], {2}, "plurality"),
        ("approval", "captain", [encode_set(two) for two in ([1, 2], [3, 1], [3, 2])], {1, 2}, "lot"),
        ("score", "lot", scores({1: 5}, {2: 3}, {2: 3}), {2}, "score"),  # many low scores beat one high
        ("score", "first", scores({1: 5, 2: 4}, {2: 1}), {1}, "first"),  # column 2 is complete later
        ("score", "lot", scores({1: 5, 2: 5}, {3: 5}), {1, 2, 3}, "lot"),
        ("score", "captain", scores({1: 3, 2: 2}, {2: 1}), {1}, "captain"),  # 1 has more of the points
        ("score", "captain", scores({1: 2, 2: 2, 3: 1}, {3: 1}), {1, 2}, "lot"),  # 3 has fewer of them
        ("score", "captain", scores({4: 1}, {1: 5, 2: 5}), {1, 2}, "lot"),  # neither has any
        ("score", "first", scores({3: 1}), {3}, "score"),  # blank columns get nothing
        ("instant_runoff", "lot", [3, 1, 3, 2, 3], {3}, "runoff"),
    ],
)
def test_tie_decision(method: str, tie: str, choices: list[int], picks: set[int], decided_by: str) -> None:
    rules, captain = terms(method, TieRule(tie)), 0 if tie == "captain" else None
    decisions = [count(choices, rules, captain, f"{seed:032x}") for seed in range(40)]
    assert {decision.pick for decision in decisions} == picks
    assert {decision.decided_by for decision in decisions} == {decided_by}


@pytest.mark.parametrize(
    ("rules", "choices", "chances"),
    [
        (terms("lottery"), [1, 2, 3, 3], {1: 1, 2: 1, 3: 2}),
        (terms("plurality"), [1, 2, 3, 3, 2], {2: 1, 3: 1}),
        (terms("plurality"), [], {2: 1, 3: 1, 5: 1}),
    ],
    ids=["by the ballots", "of tied columns", "of legal columns without ballots"],
)
def test_lot_gives_these_chances(rules: TallyTerms, choices: list[int], chances: dict[int, int]) -> None:
    sizes, total = [], sum(chances.values())

    def draw(lot: int, size: int) -> int:
        sizes.append(size)
        return lot

    cast = SideBallots("red", ballots_of(choices))
    decisions = [decide(cast, (2, 3, 5), COLUMNS, rules, partial(draw, lot)) for lot in range(total)]
    assert Counter(decision.pick for decision in decisions) == chances
    assert sizes == [total] * total


def test_ties_are_broken_by_captain_only_by_that_rule_and_for_ranked_columns() -> None:
    assert first_complete([(6,), (2,)], [2, 6]) == first_complete([(6,), (2,)], [6, 2]) == 6
    by_lot = TieBreaker(TieRule.LOT, named=[(2,)], captain=(2,), draw=lambda *drawn: 0)
    assert by_lot.pick_leader([1, 2]) == (1, TieRule.LOT)
    assert by_lot.eliminate([2, 1], {}, 1) == (2, TieRule.LOT)
    drawn = []

    def draw(size: int, number: int) -> int:
        drawn.append((size, number))
        return 1

    by_captain = TieBreaker(TieRule.CAPTAIN, named=[(5,)], captain=(5,), draw=draw)
    assert by_captain.eliminate([1, 2, 5], {}, 3) == (2, TieRule.LOT)
    assert drawn == [(2, 3)], "in the round's own lot"


def test_runoff_transfers_ballots_of_eliminated_column() -> None:
    rankings = ((1,), (1,), (1,), (2, 3), (2, 3), (3, 2), (3, 2), (3,), (4, 1), (5, 4, 1))
    decision = count([*map(encode_ranking, rankings)], terms("instant_runoff", TieRule.FIRST))
    assert decision.rounds == ((3, 2, 3, 1, 1), (3, 2, 3, 2, 0), (5, 2, 3, 0, 0), (5, 0, 5, 0, 0))
    assert (decision.pick, decision.decided_by) == (3, "first")


@pytest.mark.parametrize(("share", "enough"), list(zip(ResignShare, (3, 4, 5, 6), strict=True)))
def test_side_resigns_once_share_of_voters_is_reached(share: ResignShare, enough: int) -> None:
    for resigning in range(7):
        decision = count([RESIGN + 2] * resigning + [3] * (6 - resigning), terms("plurality", resign=share))
        assert decision.resigning == resigning
        assert (decision.decided_by == "resign", decision.pick is None) == (resigning >= enough,) * 2
        assert decision.counts == (0, resigning, 6 - resigning, 0, 0), "their choices count all the same"


@pytest.mark.parametrize("rule", NoBallotRule)
@pytest.mark.parametrize("method", METHODS)
def test_side_without_ballots_follows_its_rule(method: str, rule: NoBallotRule) -> None:
    decision = count([], TallyTerms(method, TieRule.LOT, rule, ResignShare.HALF))
    assert (decision.counts, decision.ballots, decision.decided_by) == ((0,) * COLUMNS, 0, rule)
    assert (decision.pick is None) == (rule != NoBallotRule.RANDOM)

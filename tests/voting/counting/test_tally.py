"""Approval, score, instant runoff, captains, resigning; the standalone verifier counts each of them alike."""

from collections import Counter
from functools import partial
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from tests.voting.counting.method_cases import CASES, COLUMNS, scored
from tests.voting.verifiers import standalone
from voting.counting.ballots import RESIGN, Ballot, encode_ranking, encode_set
from voting.counting.commitments import draw_lot
from voting.counting.methods.voting_method import METHODS
from voting.counting.tally import SideBallots, SideTally, TallyTerms, decide
from voting.counting.ties import TieBreaker, first_complete
from voting.terms import NoBallotRule, ResignShare, TieRule

ALL = tuple(range(1, COLUMNS + 1))
SEED = "5" * 32


def ballots_of(choices: list[int]) -> list[Ballot]:
    return [Ballot(f"v{place}", "red", choice, 1, place) for place, choice in enumerate(choices, 1)]


def count(choices: list[int], terms: TallyTerms, captain: int | None = None, seed: str = SEED) -> SideTally:
    cast = SideBallots("red", ballots_of(choices), captain)
    return decide(cast, ALL, COLUMNS, terms, partial(draw_lot, seed, "red"))


def terms(method: str, tie: TieRule = TieRule.LOT, resign: ResignShare | None = None) -> TallyTerms:
    return TallyTerms(method, tie, NoBallotRule.RANDOM, resign)


@st.composite
def polls(draw: st.DrawFn, method: str, tie: TieRule) -> tuple[list[int], TallyTerms, int | None, str]:
    """Few ballots, so that ties are frequent."""
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
def test_decision_follows_method_and_tie_rule(
    method: str, tie: str, choices: list[int], picks: set[int], decided_by: str
) -> None:
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


def test_first_complete_ignores_order_of_leaders() -> None:
    assert first_complete([(6,), (2,)], [2, 6]) == first_complete([(6,), (2,)], [6, 2]) == 6


def test_ties_are_broken_by_captain_only_by_that_rule_and_for_ranked_columns() -> None:
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
    """It never resigns."""
    decision = count([], TallyTerms(method, TieRule.LOT, rule, ResignShare.HALF))
    assert (decision.counts, decision.ballots, decision.decided_by) == ((0,) * COLUMNS, 0, rule)
    assert (decision.pick is None) == (rule != NoBallotRule.RANDOM)

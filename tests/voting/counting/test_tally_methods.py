"""Approval, score, instant runoff, captains, resigning; the standalone verifier counts each of them alike."""

from functools import partial
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from games.engine.terms import NoBallotRule, ResignShare, TieRule
from tests.voting.counting.method_cases import CASES, COLUMNS, columns, point_maps, rankings, scored, sets
from tests.voting.verifiers import standalone
from voting.counting.ballots import Ballot
from voting.counting.choices import RESIGN, encode_ranking, encode_set
from voting.counting.lots import draw_lot
from voting.counting.methods import METHODS
from voting.counting.tally import SideBallots, SideTally, TallyTerms, decide

ALL = tuple(range(1, COLUMNS + 1))
SEED = "5" * 32

Poll = tuple[list[int], TallyTerms, int | None, str]


def count(choices: list[int], terms: TallyTerms, captain: int | None = None, seed: str = SEED) -> SideTally:
    ballots = [Ballot(f"v{place}", "red", choice, 1, place) for place, choice in enumerate(choices, 1)]
    return decide(SideBallots("red", ballots, captain), ALL, COLUMNS, terms, partial(draw_lot, seed, "red"))


def terms(method: str, tie: TieRule = TieRule.LOT, resign: ResignShare | None = None) -> TallyTerms:
    return TallyTerms(method, tie, NoBallotRule.RANDOM, resign)


@st.composite
def polls(draw: st.DrawFn, method: str, tie: TieRule) -> Poll:
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


@given(st.lists(sets, min_size=1, max_size=12))
def test_approval_picks_column_with_most_approvals(choices: list[int]) -> None:
    decision = count(choices, terms("approval"))
    assert decision.ballots == len(choices) <= sum(decision.counts)
    assert decision.pick is not None
    assert decision.counts[decision.pick - 1] == max(decision.counts) <= len(choices)


@given(st.lists(point_maps, min_size=1, max_size=12))
def test_score_picks_highest_total_completed_first(ballots: list[dict[int, int]]) -> None:
    def total(column: int, cast: list[dict[int, int]]) -> int:
        return sum(points.get(column, 0) for points in cast)

    totals = {column: total(column, ballots) for column in ALL}
    leaders = [column for column in ALL if totals[column] == max(totals.values())]
    completed_at = {
        column: next(n for n in range(len(ballots) + 1) if total(column, ballots[:n]) == totals[column])
        for column in leaders
    }
    decision = count([scored(points) for points in ballots], terms("score", TieRule.FIRST))
    assert decision.counts == tuple(totals.values())
    assert decision.pick == min(leaders, key=lambda column: completed_at[column])
    assert decision.decided_by == ("score" if len(leaders) == 1 else "first")


@pytest.mark.parametrize(
    ("ballots", "tie", "picks", "decided_by"),
    [
        ([{1: 5}, {2: 3}, {2: 3}], "lot", {2}, "score"),  # many low scores beat one high score
        ([{1: 5, 2: 4}, {2: 1}], "first", {1}, "first"),  # column 2 reaches its total later
        ([{1: 5, 2: 5}, {3: 5}], "lot", {1, 2, 3}, "lot"),
        ([{1: 3, 2: 2}, {2: 1}], "captain", {1}, "captain"),  # the captain gives 1 more points
        ([{1: 2, 2: 2, 3: 1}, {3: 1}], "captain", {1, 2}, "lot"),  # the captain gives 3 fewer points
        ([{4: 1}, {1: 5, 2: 5}], "captain", {1, 2}, "lot"),  # the captain gives neither a point
        ([{3: 1}], "first", {3}, "score"),  # blank columns get nothing
    ],
)
def test_score_decides_by_points_and_tie_rule(
    ballots: list[dict[int, int]], tie: TieRule, picks: set[int], decided_by: str
) -> None:
    captain = 0 if tie == "captain" else None
    cast = [scored(points) for points in ballots]
    decisions = [count(cast, terms("score", tie), captain, f"{seed:032x}") for seed in range(40)]
    assert {decision.pick for decision in decisions} == picks
    assert {decision.decided_by for decision in decisions} == {decided_by}


@given(st.lists(rankings, min_size=1, max_size=12), st.sampled_from(TieRule))
def test_runoff_ends_with_majority_of_active_ballots(choices: list[int], tie: TieRule) -> None:
    decision = count(choices, terms("instant_runoff", tie))
    assert decision.pick is not None
    assert decision.rounds
    *_, last = decision.rounds
    assert decision.rounds[0] == decision.counts
    assert sum(decision.counts) == len(choices)
    assert last[decision.pick - 1] * 2 >= sum(last)
    assert last[decision.pick - 1] == max(last)
    for before, after in zip(decision.rounds, decision.rounds[1:], strict=False):
        assert sum(map(bool, after)) == sum(map(bool, before)) - 1, "one column is eliminated a round"
        assert all(now >= then for then, now in zip(before, after, strict=True) if now), (
            "no remaining column loses a ballot"
        )


@given(st.lists(columns, min_size=1, max_size=12), st.sampled_from([TieRule.FIRST, TieRule.LOT]))
def test_runoff_majority_of_first_choices_wins_in_one_round(choices: list[int], tie: TieRule) -> None:
    most = [*choices, *[3] * (len(choices) + 1)]
    decision = count(most, terms("instant_runoff", tie))
    assert (decision.pick, decision.decided_by, len(decision.rounds or ())) == (3, "runoff", 1)


def ranked(*rankings_: tuple[int, ...]) -> list[int]:
    return [encode_ranking(ranking) for ranking in rankings_]


def test_runoff_transfers_ballots_of_eliminated_column() -> None:
    choices = ranked((1,), (1,), (1,), (2, 3), (2, 3), (3, 2), (3, 2), (3,), (4, 1), (5, 4, 1))
    decision = count(choices, terms("instant_runoff", TieRule.FIRST))
    assert decision.rounds == ((3, 2, 3, 1, 1), (3, 2, 3, 2, 0), (5, 2, 3, 0, 0), (5, 0, 5, 0, 0))
    assert (decision.pick, decision.decided_by) == (3, "first")


def test_draw_lot_is_independent_by_runoff_round() -> None:
    lots = {tuple(draw_lot(f"{seed:032x}", "red", 2, number) for number in (1, 2)) for seed in range(40)}
    assert lots == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert draw_lot(SEED, "red", 9**9) == draw_lot(SEED, "red", 9**9, 0), (
        "lots outside a runoff are unaffected by rounds"
    )


@pytest.mark.parametrize(
    ("choices", "pick", "decided_by"),
    [
        ([1, 1, 2, 2], 1, "captain"),
        ([2, 1, 2, 1], 2, "captain"),
        ([3, 1, 1, 2, 2], 1, "lot"),
        ([1, 2, 2], 2, "plurality"),
    ],
)
def test_captain_decides_between_tied_leaders(choices: list[int], pick: int, decided_by: str) -> None:
    decision = count(choices, terms("plurality", TieRule.CAPTAIN), captain=0, seed="0" * 32)
    assert decision.decided_by == decided_by
    assert decision.pick in ([1, 2] if decided_by == "lot" else [pick])


def test_captain_approving_both_leaders_leaves_tie_to_lot() -> None:
    choices = [encode_set([1, 2]), encode_set([3, 1]), encode_set([3, 2])]
    picks = {count(choices, terms("approval", TieRule.CAPTAIN), 0, f"{seed:032x}").pick for seed in range(20)}
    assert picks == {1, 2}, "never the third, which the captain did not approve"


@pytest.mark.parametrize(("share", "enough"), list(zip(ResignShare, (3, 4, 5, 6), strict=True)))
def test_side_resigns_once_share_of_voters_is_reached(share: ResignShare, enough: int) -> None:
    for resigning in range(7):
        decision = count([RESIGN + 2] * resigning + [3] * (6 - resigning), terms("plurality", resign=share))
        assert decision.resigning == resigning
        assert (decision.decided_by == "resign") is (resigning >= enough)
        assert (decision.pick is None) is (resigning >= enough)
        assert decision.counts == (0, resigning, 6 - resigning, 0, 0), (
            "their choices are counted all the same"
        )


def test_side_without_ballots_does_not_resign() -> None:
    assert count([], terms("plurality", resign=ResignShare.HALF)).decided_by == "random"

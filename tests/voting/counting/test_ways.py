"""Approval, the runoff, captains and resigning; and the script that shares nothing counts all of it alike."""

from functools import partial
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voting.verifying import standalone
from voting.counting.ballots import Ballot
from voting.counting.choices import RESIGN, encode_ranking, encode_set
from voting.counting.lots import draw_lot
from voting.counting.tally import Decision, SideBallots, TallyTerms, decide
from voting.counting.types import ResignShare, TallyMethod, TieRule

COLUMNS = 5
ALL = tuple(range(1, COLUMNS + 1))
SEED = "5" * 32
columns = st.integers(1, COLUMNS)
rankings = st.lists(columns, min_size=1, max_size=3, unique=True).map(encode_ranking)
sets = st.sets(columns, min_size=1).map(encode_set)
SAID = {"plurality": columns, "lottery": columns, "approval": sets, "instant_runoff": rankings}

Poll = tuple[list[int], TallyTerms, int | None, str]


def count(choices: list[int], terms: TallyTerms, captain: int | None = None, seed: str = SEED) -> Decision:
    ballots = [Ballot(f"v{place}", "red", choice, 1, place) for place, choice in enumerate(choices, 1)]
    return decide(SideBallots("red", ballots, captain), ALL, COLUMNS, terms, partial(draw_lot, seed, "red"))


def terms(method: TallyMethod, tie: TieRule = "lot", resign: ResignShare | None = None) -> TallyTerms:
    return TallyTerms(method, tie, "random", resign)


@st.composite
def polls(draw: st.DrawFn, method: TallyMethod, tie: TieRule) -> Poll:
    """Few ballots, so that many tie."""
    wishes = st.sampled_from([0, 0, RESIGN])
    choices = draw(st.lists(st.builds(int.__add__, SAID[method], wishes), max_size=9))
    without = draw(st.sampled_from(["random", "pass", "forfeit"]))
    resign = draw(st.sampled_from([None, None, "half", "two_thirds", "three_quarters", "all"]))
    captain = draw(st.integers(0, len(choices) - 1)) if choices and tie == "captain" else None
    rules = TallyTerms(method, tie, cast(Any, without), cast(Any, resign))
    return choices, rules, captain, f"{draw(st.integers(0, 99)):032x}"


@pytest.mark.parametrize("tie", get_args(TieRule))
@pytest.mark.parametrize("method", get_args(TallyMethod))
@given(data=st.data())
def test_the_script_of_its_own_counts_alike(data: st.DataObject, method: TallyMethod, tie: TieRule) -> None:
    choices, rules, captain, seed = data.draw(polls(method, tie))
    ours = count(choices, rules, captain, seed)
    options: dict[str, str] = {
        "tally_method": rules.method,
        "tie_rule": rules.tie,
        "no_ballot_rule": rules.no_ballot,
    }
    options |= {"resign": rules.resign} if rules.resign else {}
    theirs = standalone.BallotCounter(choices, COLUMNS, options, f"{seed}:red")
    theirs.captain = [] if captain is None else standalone.decode_columns(choices[captain])
    assert theirs.decide(list(ALL)) == (ours.pick, ours.decided_by)
    assert theirs.first == list(ours.counts)
    assert theirs.rounds == list(map(list, ours.rounds))


@given(st.lists(sets, min_size=1, max_size=12))
def test_approval_picks_whom_most_can_live_with(choices: list[int]) -> None:
    decision = count(choices, terms("approval"))
    assert decision.ballots == len(choices) <= sum(decision.counts)
    assert decision.pick is not None
    assert decision.counts[decision.pick - 1] == max(decision.counts) <= len(choices)


@given(st.lists(rankings, min_size=1, max_size=12), st.sampled_from(["first", "lot", "captain"]))
def test_a_runoff_ends_with_a_majority_of_those_who_still_say_something(
    choices: list[int], tie: TieRule
) -> None:
    decision = count(choices, terms("instant_runoff", tie))
    assert decision.pick is not None
    *_, last = decision.rounds
    assert decision.rounds[0] == decision.counts
    assert sum(decision.counts) == len(choices)
    assert last[decision.pick - 1] * 2 >= sum(last)
    assert last[decision.pick - 1] == max(last)
    for before, after in zip(decision.rounds, decision.rounds[1:], strict=False):
        assert sum(map(bool, after)) == sum(map(bool, before)) - 1, "one goes out a round"
        assert all(now >= then for then, now in zip(before, after, strict=True) if now), (
            "nobody loses a ballot"
        )


@given(st.lists(columns, min_size=1, max_size=12), st.sampled_from(["first", "lot"]))
def test_a_majority_of_first_choices_wins_at_once(choices: list[int], tie: TieRule) -> None:
    most = [*choices, *[3] * (len(choices) + 1)]
    decision = count(most, terms("instant_runoff", tie))
    assert (decision.pick, decision.decided_by, len(decision.rounds)) == (3, "runoff", 1)


def ranked(*rankings_: tuple[int, ...]) -> list[int]:
    return [encode_ranking(ranking) for ranking in rankings_]


def test_a_runoff_moves_the_ballots_of_whoever_goes_out() -> None:
    choices = ranked((1,), (1,), (1,), (2, 3), (2, 3), (3, 2), (3, 2), (3,), (4, 1), (5, 4, 1))
    decision = count(choices, terms("instant_runoff", "first"))
    assert decision.rounds == ((3, 2, 3, 1, 1), (3, 2, 3, 2, 0), (5, 2, 3, 0, 0), (5, 0, 5, 0, 0))
    assert (decision.pick, decision.decided_by) == (3, "first")


def test_each_round_has_a_lot_of_its_own() -> None:
    lots = {tuple(draw_lot(f"{seed:032x}", "red", 2, number) for number in (1, 2)) for seed in range(40)}
    assert lots == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert draw_lot(SEED, "red", 9**9) == draw_lot(SEED, "red", 9**9, 0), (
        "what is not a runoff's is as it was"
    )


@pytest.mark.parametrize(
    ("said", "pick", "how"),
    [
        ([1, 1, 2, 2], 1, "captain"),
        ([2, 1, 2, 1], 2, "captain"),
        ([3, 1, 1, 2, 2], 1, "lot"),
        ([1, 2, 2], 2, "plurality"),
    ],
)
def test_a_captain_decides_between_those_who_lead(said: list[int], pick: int, how: str) -> None:
    decision = count(said, terms("plurality", "captain"), captain=0, seed="0" * 32)
    assert decision.decided_by == how
    assert decision.pick in ([1, 2] if how == "lot" else [pick])


def test_a_captain_who_likes_both_leaves_them_to_the_lot() -> None:
    said = [encode_set([1, 2]), encode_set([3, 1]), encode_set([3, 2])]
    picks = {count(said, terms("approval", "captain"), 0, f"{seed:032x}").pick for seed in range(20)}
    assert picks == {1, 2}, "never the third, whom the captain does not like"


@pytest.mark.parametrize(
    ("share", "enough"), [("half", 3), ("two_thirds", 4), ("three_quarters", 5), ("all", 6)]
)
def test_a_share_of_those_who_vote_gives_the_match_up(share: ResignShare, enough: int) -> None:
    for wishing in range(7):
        decision = count([RESIGN + 2] * wishing + [3] * (6 - wishing), terms("plurality", resign=share))
        assert decision.resigning == wishing
        assert (decision.decided_by == "resign") is (wishing >= enough)
        assert (decision.pick is None) is (wishing >= enough)
        assert decision.counts == (0, wishing, 6 - wishing, 0, 0), "what they voted is told all the same"


def test_nobody_resigns_where_nobody_votes() -> None:
    assert count([], terms("plurality", resign="half")).decided_by == "random"

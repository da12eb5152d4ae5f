from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from games.engine.terms import NoBallotRule, TieRule
from tests.voting.ballot_strategies import COLUMNS, sealed_ballots
from voting.counting.ballots import Ballot
from voting.counting.tally import SideBallots, SideTally, TallyTerms, decide
from voting.counting.ties import first_complete

PLURALITY = TallyTerms("plurality", TieRule.FIRST, NoBallotRule.RANDOM)
LOT = replace(PLURALITY, tie_rule=TieRule.LOT)
LOTTERY = replace(PLURALITY, tally_method="lottery")
ALL = tuple(range(1, COLUMNS + 1))


@dataclass
class Drawn:
    """A lot with a fixed result; records the size it was drawn from."""

    lot: int = 0
    size: int | None = None

    def __call__(self, stop: int) -> int:
        assert self.size is None, "a second lot was drawn"
        assert 0 <= self.lot < stop
        self.size = stop
        return self.lot


def votes(*columns: int) -> tuple[Ballot, ...]:
    return tuple(Ballot(f"v{i}", "red", column, 1, i) for i, column in enumerate(columns, 1))


def tally(ballots: tuple[Ballot, ...], terms: TallyTerms, legal: tuple[int, ...] = ALL) -> SideTally:
    """The decision; drawing a lot fails."""
    return decide(SideBallots("red", ballots), legal, COLUMNS, terms, Drawn(lot=-1))


def tally_all(
    ballots: tuple[Ballot, ...], terms: TallyTerms, legal: tuple[int, ...] = ALL
) -> list[SideTally]:
    """The decision for each possible lot; all are equally likely."""
    first = Drawn()
    decisions = [decide(SideBallots("red", ballots), legal, COLUMNS, terms, first)]
    assert first.size is not None, "no lot was drawn"
    rest = [
        decide(SideBallots("red", ballots), legal, COLUMNS, terms, Drawn(lot)) for lot in range(1, first.size)
    ]
    return decisions + rest


@given(sealed_ballots(), st.sampled_from([PLURALITY, LOT, LOTTERY]), st.randoms(use_true_random=False))
def test_decide_counts_every_ballot_once(ballots: tuple[Ballot, ...], terms: TallyTerms, rng: Random) -> None:
    decision = decide(SideBallots("red", ballots), ALL, COLUMNS, terms, rng.randrange)
    assert len(decision.counts) == COLUMNS
    assert decision.ballots == sum(decision.counts) == len(ballots)
    assert {c: n for c, n in enumerate(decision.counts, 1) if n} == Counter(b.choice for b in ballots)


@given(sealed_ballots(min_size=1))
def test_plurality_picks_column_with_most_votes(ballots: tuple[Ballot, ...]) -> None:
    for decision in [
        tally(ballots, PLURALITY),
        decide(SideBallots("red", ballots), ALL, COLUMNS, LOT, Drawn()),
    ]:
        assert decision.pick is not None
        assert decision.counts[decision.pick - 1] == max(decision.counts)


@given(sealed_ballots(min_size=1))
def test_tie_goes_to_column_that_reached_winning_count_first(ballots: tuple[Ballot, ...]) -> None:
    counting: Counter[int] = Counter()
    winning = max(Counter(b.choice for b in ballots).values())
    first = 0
    for ballot in ballots:
        counting[ballot.choice] += 1
        if counting[ballot.choice] == winning:
            first = ballot.choice
            break
    assert tally(ballots, PLURALITY).pick == first


def test_decision_names_the_rule_that_decided() -> None:
    assert tally(votes(2, 2, 3), PLURALITY) == SideTally(
        counts=(0, 2, 1, 0, 0, 0, 0), ballots=3, pick=2, decided_by="plurality"
    )
    assert tally(votes(2, 3, 3, 2), PLURALITY) == SideTally(
        counts=(0, 2, 2, 0, 0, 0, 0), ballots=4, pick=3, decided_by="first"
    )
    assert tally(votes(3, 2, 2), LOT).decided_by == "plurality"


def test_tie_is_broken_by_ballot_order() -> None:
    assert tally(votes(5, 1, 1, 5), PLURALITY).pick == 1
    assert tally(tuple(reversed(votes(5, 1, 5, 1))), PLURALITY).pick == 1


def test_first_complete_ignores_order_of_leaders() -> None:
    assert first_complete([(6,), (2,)], [2, 6]) == first_complete([(6,), (2,)], [6, 2]) == 6


@given(sealed_ballots(min_size=1))
def test_lottery_weights_columns_by_ballots(ballots: tuple[Ballot, ...]) -> None:
    decisions = tally_all(ballots, LOTTERY)
    assert len(decisions) == len(ballots)
    assert Counter(d.pick for d in decisions) == Counter(b.choice for b in ballots)
    assert {d.decided_by for d in decisions} == {"lottery"}


@given(sealed_ballots(min_size=2))
def test_lot_gives_tied_columns_equal_chances(ballots: tuple[Ballot, ...]) -> None:
    counts = Counter(b.choice for b in ballots)
    tied = sorted(column for column, count in counts.items() if count == max(counts.values()))
    if len(tied) == 1:
        assert tally(ballots, LOT).pick == tied[0]
    else:
        decisions = tally_all(ballots, LOT)
        assert [d.pick for d in decisions] == tied
        assert {d.decided_by for d in decisions} == {"lot"}


def test_no_ballots_gives_legal_columns_equal_chances() -> None:
    decisions = tally_all((), PLURALITY, legal=(2, 5, 7))
    assert [d.pick for d in decisions] == [2, 5, 7]
    assert {(d.decided_by, d.counts) for d in decisions} == {("random", (0,) * COLUMNS)}


@pytest.mark.parametrize("rule", [NoBallotRule.PASS, NoBallotRule.FORFEIT])
@pytest.mark.parametrize("terms", [PLURALITY, LOTTERY])
def test_no_ballots_makes_no_pick_under_pass_or_forfeit(terms: TallyTerms, rule: NoBallotRule) -> None:
    assert tally((), replace(terms, no_ballot_rule=rule)) == SideTally(
        counts=(0,) * COLUMNS, ballots=0, pick=None, decided_by=rule
    )

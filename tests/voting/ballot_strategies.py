"""Hypothesis strategies for ballots."""

from hypothesis import strategies as st

from games.engine.game import SIDES
from voting.counting.ballots import Ballot

COLUMNS = 7
voters = st.text("abcdef", min_size=1, max_size=2)
sides, columns = st.sampled_from(SIDES), st.integers(1, COLUMNS)
cast_batches = st.lists(st.builds(Ballot, voters, sides, columns, st.integers(1, 4)), max_size=8)
ballots = st.builds(Ballot, voters, sides, columns, st.integers(1, 5), st.integers(0, 50))
ballot_lists = st.lists(ballots, max_size=30)


@st.composite
def sealed_ballots(draw: st.DrawFn, min_size: int = 0) -> tuple[Ballot, ...]:
    """The sealed ballots of one side: one per voter, with distinct arrivals in ascending order."""
    choices = draw(st.lists(columns, min_size=min_size, max_size=40))
    arrivals = sorted(draw(st.sets(st.integers(1, 500), min_size=len(choices), max_size=len(choices))))
    return tuple(Ballot(f"v{at}", "red", choice, 1, at) for choice, at in zip(choices, arrivals, strict=True))

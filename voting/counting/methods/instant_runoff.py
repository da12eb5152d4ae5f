"""Instant runoff: each ballot ranks up to three columns.

The last column is eliminated and its ballots are transferred, until one has a majority. Columns that no
ballot ranks first are out from the start: no transfer could reach them in time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from games.engine.texts import gettext_noop
from voting.counting.ballots import Columns
from voting.counting.methods.voting_method import Counts, Pick, RandomNumbers, VotingMethod, sample_columns
from voting.counting.ties import TieBreaker

MAX_RANKED = 3


class InstantRunoff(VotingMethod):
    name = "instant_runoff"
    decided_by = "runoff"
    # Translators: a voting method.
    label = gettext_noop("Ranking")
    hint = gettext_noop("Everyone ranks up to three columns (instant runoff). Allow at least 20 seconds.")
    meaning = "Each ballot ranks up to three choices. Choices are eliminated until one has more than half."
    decision = "More than half of the ballots in the last round."
    caption = ("Majority in round 1",)
    rounds_caption = ("%(share)s ranked it first; wins in round %(round)s",)
    counts_decide = False

    def allows(self, columns: Columns) -> bool:
        return len(set(columns)) == len(columns) <= MAX_RANKED

    def counted(self, columns: Columns) -> Columns:
        return columns[:1]

    def pick(self, legal: Sequence[int], counts: Counts, breaker: TieBreaker) -> Pick:
        """Run the instant runoff. If all remaining columns tie, the rule that breaks the tie decides."""
        rankings = breaker.named_by_arrival()
        remaining = {ranking[0] for ranking in rankings}
        rounds: list[Counts] = []
        decided_by = self.decided_by
        while True:
            current = _count_round(rankings, remaining)
            rounds.append(tuple(current.counts.get(column, 0) for column in range(1, len(counts) + 1)))
            if current.winner is not None:
                return Pick(current.winner, decided_by, tuple(rounds))
            eliminated, rule = current.last_placed[0], decided_by
            if len(current.last_placed) > 1:
                eliminated, rule = breaker.eliminate(current.last_placed, current.last_arrival, len(rounds))
            if len(current.last_placed) == len(remaining):
                decided_by = rule
            remaining.remove(eliminated)
            if len(remaining) == 1:
                return Pick(remaining.pop(), decided_by, tuple(rounds))

    def sample(self, choose: Callable[[], int], rng: RandomNumbers) -> int:
        return self.encode(sample_columns(choose, rng))


@dataclass(slots=True)
class _Round:
    """The ballots of each remaining column in one round, and the index of the last of them."""

    counts: dict[int, int] = field(default_factory=dict)
    last_arrival: dict[int, int] = field(default_factory=dict)

    @property
    def last_placed(self) -> list[int]:
        """The columns with the fewest ballots."""
        fewest = min(self.counts.values())
        return sorted(column for column, count in self.counts.items() if count == fewest)

    @property
    def winner(self) -> int | None:
        """The column with more than half of the ballots that still count, or None."""
        best = max(self.counts, key=lambda column: self.counts[column])
        return best if 2 * self.counts[best] > sum(self.counts.values()) else None


def _count_round(rankings: Sequence[Columns], remaining: set[int]) -> _Round:
    current = _Round()
    for place, ranking in enumerate(rankings):
        column = next((column for column in ranking if column in remaining), None)
        if column is not None:
            current.counts[column] = current.counts.get(column, 0) + 1
            current.last_arrival[column] = place
    return current


METHOD = InstantRunoff()

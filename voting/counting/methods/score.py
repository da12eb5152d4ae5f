"""Score voting: each ballot gives every column 0 to 5 points, and the column with the highest total wins.

A ballot names a column once per point. Columns that it does not name get none.
"""

from collections.abc import Callable

from games.engine.texts import gettext_noop
from voting.counting.methods.voting_method import RandomNumbers, SetMethod, sample_columns


class Score(SetMethod):
    name = decided_by = "score"
    # Translators: a voting method.
    label = gettext_noop("Score")
    hint = gettext_noop("Everyone gives each column 0 to 5 points. Allow at least 20 seconds.")
    meaning = "Each ballot gives every choice 0 to 5 points. The one with the highest total wins."
    decision = "Most points."
    caption = ("of the possible points",)
    max_votes = 5

    def sample(self, choose: Callable[[], int], rng: RandomNumbers) -> int:
        liked = sample_columns(choose, rng)
        return self.encode(tuple(c for c in liked for _ in range(1 + rng.randrange(self.max_votes))))


METHOD = Score()

"""Lottery (random ballot): each ballot names one column, and one ballot is drawn at random."""

from collections.abc import Sequence

from games.engine.texts import gettext_noop
from voting.counting.methods.voting_method import Counts, Pick, VotingMethod
from voting.counting.ties import TieBreaker


class Lottery(VotingMethod):
    name = decided_by = "lottery"
    # Translators: a voting method.
    label = gettext_noop("Lottery")
    hint = gettext_noop("Everyone picks one column, and one vote is drawn at random.")
    meaning = "One ballot, drawn at random."
    decision = "One ballot, drawn at random."
    report = gettext_noop("One vote from %(team)s was drawn at random. It was for %(pick)s.")
    caption = ("Drawn from %(count)s vote", "Drawn from %(count)s votes")
    counts_decide = False

    def pick(self, legal: Sequence[int], counts: Counts, breaker: TieBreaker) -> Pick:
        return Pick(breaker.named[breaker.draw(len(breaker.named))][0], self.decided_by)


METHOD = Lottery()

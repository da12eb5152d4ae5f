"""Plurality: each ballot names one column, and the column with the most ballots wins."""

from games.engine.texts import gettext_noop
from voting.counting.methods.voting_method import VotingMethod


class Plurality(VotingMethod):
    name = decided_by = "plurality"
    # Translators: a voting method.
    label = gettext_noop("Most votes")
    hint = gettext_noop("Everyone picks one column.")
    meaning = "The choice with the most ballots."
    decision = "Most ballots."


METHOD = Plurality()

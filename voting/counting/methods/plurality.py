"""Plurality: each ballot names one column, and the column with the most ballots wins."""

from voting.counting.methods.voting_method import VotingMethod


class Plurality(VotingMethod):
    name = decided_by = "plurality"
    label = "Most votes"
    hint = "Everyone picks one column."
    meaning = "The choice with the most ballots."
    decision = "Most ballots."


METHOD = Plurality()

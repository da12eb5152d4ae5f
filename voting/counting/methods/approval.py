"""Approval voting: each ballot approves any number of columns, and the most approved column wins."""

from games.engine.texts import gettext_noop
from voting.counting.methods.voting_method import SetMethod


class Approval(SetMethod):
    name = decided_by = "approval"
    # Translators: a voting method.
    label = gettext_noop("Approval")
    hint = gettext_noop("Everyone picks any number of columns. Allow at least 20 seconds.")
    meaning = "Each ballot approves any number of choices. The most approved one wins."
    decision = "Most approvals."
    caption = ("of %(count)s voter approved", "of %(count)s voters approved")


METHOD = Approval()

"""What other features do when a guest gets an account or leaves."""

from django.dispatch import Signal

# Sent with `guest` and `account` inside the transaction in which a guest logs in to an account. A receiver
# hands the guest's things over to the account and returns a list of sentences to show. It may raise
# MatchError to refuse the login.
guest_merged = Signal()

# Sent with `guest` and `box` while a guest's account is deleted: the guest has no name any more, and the
# account is saved afterwards. A receiver removes or anonymizes what it keeps. It may run twice.
guest_left = Signal()

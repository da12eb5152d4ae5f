"""Signals for other apps when a guest logs in to an account or deletes it."""

from django.dispatch import Signal

# Sent with `guest` and `account`, inside the transaction in which a guest logs in to an account. A receiver
# moves the guest's rows to the account and returns a list of sentences to show, or None.
guest_merged = Signal()

# Sent with `guest` after the guest's name changed. A receiver updates its copies of the name.
guest_renamed = Signal()

# Sent with `guest` and `box` while a guest's account is deleted. The guest object has no name any more and is
# saved afterwards. A receiver deletes or anonymizes its rows. It must be idempotent, as it may run twice.
guest_left = Signal()

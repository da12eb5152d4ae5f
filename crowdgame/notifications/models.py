"""Confirmed e-mail addresses and the notifications that are due."""

from django.db import models
from django.db.models import UniqueConstraint

from crowdgame.accounts.models import Guest
from games.models import Turn


class EmailAddress(models.Model):
    """Where a guest wants to be told that it is their turn; until it is confirmed only asked whether so.

    Whoever stops it is forgotten here: there is no list of addresses that do not want to hear.
    """

    guest = models.OneToOneField(Guest, on_delete=models.CASCADE, related_name="address")
    email = models.EmailField()
    asked_at = models.DateTimeField(auto_now_add=True, db_index=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"the address of {self.guest}"


class EmailNotification(models.Model):
    """A mail that is due, of a turn, or without one the question whether the address is theirs.

    Once it is sent it is gone.
    """

    address = models.ForeignKey(EmailAddress, on_delete=models.CASCADE, related_name="notifications")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    due_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [UniqueConstraint(fields=["address", "turn"], name="notification_per_turn")]

    def __str__(self) -> str:
        return f"notification {self.pk} to {self.address}"

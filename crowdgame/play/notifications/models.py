"""E-mail addresses of guests, and the notifications that are due."""

from django.db import models
from django.db.models import UniqueConstraint

from crowdgame.accounts.models import Guest
from voting.models import Turn


class EmailAddress(models.Model):
    """A guest's address for "your turn" mails, and the language of the page on which it was entered.

    Until it is confirmed, it only receives the confirmation request. Unsubscribing deletes the row. There is
    no suppression list.
    """

    guest = models.OneToOneField(Guest, on_delete=models.CASCADE, related_name="address")
    email = models.EmailField()
    language = models.CharField(max_length=16, default="en", db_default="en")
    asked_at = models.DateTimeField(auto_now_add=True, db_index=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"the address of {self.guest}"


class EmailNotification(models.Model):
    """A message that is due: for a turn, or without one the request to confirm the address.

    `news` is a `DuelNews` of the turn; empty if the guest is to move in it. Deleted once it is sent.
    """

    address = models.ForeignKey(EmailAddress, on_delete=models.CASCADE, related_name="notifications")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    news = models.CharField(max_length=20, blank=True, default="", db_default="")
    due_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [UniqueConstraint(fields=["address", "turn", "news"], name="notification_once_a_turn")]

    def __str__(self) -> str:
        return f"notification {self.pk} to {self.address}"

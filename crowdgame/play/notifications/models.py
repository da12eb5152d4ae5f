"""E-mail addresses of guests and voters, and the notifications that are due."""

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from crowdgame.accounts.models import Guest
from voting.models import Event, Turn


class EmailAddress(models.Model):
    """The address of a guest or of a voter in an event, and the language of the page where it was entered.

    `voter` is the voter id and `team` the team of the seat. `time_zone` is the browser's, empty if unknown.

    Until it is confirmed, it only receives the confirmation request. Unsubscribing deletes the row. There is
    no suppression list.
    """

    guest = models.OneToOneField(
        Guest, on_delete=models.CASCADE, null=True, blank=True, related_name="address"
    )
    event = models.ForeignKey(Event, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    voter = models.CharField(max_length=16, blank=True, default="", db_default="")
    team = models.PositiveSmallIntegerField(null=True, blank=True)
    time_zone = models.CharField(max_length=40, blank=True, default="", db_default="")
    email = models.EmailField()
    language = models.CharField(max_length=16, default="en", db_default="en")
    asked_at = models.DateTimeField(auto_now_add=True, db_index=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["event", "voter"], name="email_address_one_a_voter"),
            CheckConstraint(
                condition=Q(guest__isnull=False, event=None, team=None)
                | Q(guest=None, event__isnull=False, team__in=[1, 2]),
                name="email_address_of_guest_or_voter",
            ),
        ]

    def __str__(self) -> str:
        return f"the address of {self.guest or 'a voter'}"


class EmailNotification(models.Model):
    """A message that is due: for a turn, or without one the request to confirm the address.

    `news` is a `DuelNews` or `VoteNews` of the turn; empty if the guest is to move in it. Deleted once it is
    sent.
    """

    address = models.ForeignKey(EmailAddress, on_delete=models.CASCADE, related_name="notifications")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    news = models.CharField(max_length=20, blank=True, default="", db_default="")
    due_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [UniqueConstraint(fields=["address", "turn", "news"], name="notification_once_a_turn")]

    def __str__(self) -> str:
        return f"notification {self.pk} to {self.address}"

"""E-mail addresses and push subscriptions of guests and voters, and the notifications that are due."""

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from crowdgame.accounts.models import Guest
from crowdgame.server.web.outgoing_request import MAX_URL_LENGTH
from voting.models import Event, Turn

GUEST_OR_VOTER = Q(guest__isnull=False, event=None, team=None) | Q(
    guest=None, event__isnull=False, team__in=[1, 2]
)


class Recipient(models.Model):
    """Where a guest or a voter in an event is notified, and the language of the page where they asked for it.

    `voter` is the voter id and `team` the team of the seat. `time_zone` is the browser's, empty if unknown.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    voter = models.CharField(max_length=16, blank=True, default="", db_default="")
    team = models.PositiveSmallIntegerField(null=True, blank=True)
    time_zone = models.CharField(max_length=40, blank=True, default="", db_default="")
    language = models.CharField(max_length=16, default="en", db_default="en")

    class Meta:
        abstract = True


class EmailAddress(Recipient):
    """An e-mail address, one for each guest and voter.

    Until it is confirmed, it only receives the confirmation request. Unsubscribing deletes the row. There is
    no suppression list.
    """

    guest = models.OneToOneField(
        Guest, on_delete=models.CASCADE, null=True, blank=True, related_name="address"
    )
    email = models.EmailField()
    asked_at = models.DateTimeField(auto_now_add=True, db_index=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["event", "voter"], name="email_address_one_a_voter"),
            CheckConstraint(condition=GUEST_OR_VOTER, name="email_address_of_guest_or_voter"),
        ]

    def __str__(self) -> str:
        return f"the address of {self.guest or 'a voter'}"


class PushSubscription(Recipient):
    """A browser's push subscription (RFC 8030) with its keys in base64url (RFC 8291).

    `application_key` is the server's public key (VAPID) that it was made for. `seen_at` is the last visit of
    the page that manages it.
    """

    guest = models.ForeignKey(Guest, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    endpoint = models.CharField(max_length=MAX_URL_LENGTH, unique=True)
    p256dh = models.CharField(max_length=87)
    auth = models.CharField(max_length=22)
    application_key = models.CharField(max_length=87)
    seen_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [CheckConstraint(condition=GUEST_OR_VOTER, name="push_subscription_of_guest_or_voter")]

    def __str__(self) -> str:
        return f"a device of {self.guest or 'a voter'}"


AnyRecipient = EmailAddress | PushSubscription


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


class PushNotification(models.Model):
    """A push message that is due for a turn. `news` is as in EmailNotification."""

    address = models.ForeignKey(PushSubscription, on_delete=models.CASCADE, related_name="+")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="+")
    news = models.CharField(max_length=20, blank=True, default="")
    due_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["address", "turn", "news"], name="push_notification_once_a_turn")
        ]

    def __str__(self) -> str:
        return f"push notification {self.pk} to {self.address}"

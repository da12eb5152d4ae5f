"""API tokens, with which programs act for an organizer, and webhooks."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from crowdgame.server.web.outgoing_request import MAX_URL_LENGTH
from voting.models import Event

NAME_LENGTH = 80


class ApiToken(models.Model):
    """A token of a user, for one event or for all of theirs. Only its hash is stored.

    A program may do what both `scopes` and the user's role allow. Deleting the row revokes the token.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    event = models.ForeignKey(Event, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    name = models.CharField(max_length=NAME_LENGTH)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    used_on = models.DateField(null=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class Webhook(models.Model):
    """A URL that receives the changes of an event, as long as the user may run the event.

    `types` are those that it receives; empty for all. `seq` is the last announcement that was read for it.
    From `next_at` on, a worker may serve it. The secrets are stored readable, because the server signs with
    them.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=MAX_URL_LENGTH)
    types = models.JSONField(default=list)
    secret = models.CharField(max_length=64)
    old_secret = models.CharField(max_length=64, blank=True, default="")
    rotated_at = models.DateTimeField(null=True)
    seq = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    failing_since = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.url


class WebhookDelivery(models.Model):
    """A message to a webhook. `due_at` is null once it was accepted, or was tried often enough.

    `status` is the HTTP status of the last attempt; 0 if there was none, with the `reason`.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message_id = models.CharField(max_length=40, unique=True)
    type = models.CharField(max_length=40)
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    due_at = models.DateTimeField(null=True, default=timezone.now, db_index=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True)
    reason = models.CharField(max_length=40, blank=True, default="")
    duration_ms = models.PositiveIntegerField(null=True)

    def __str__(self) -> str:
        return self.message_id

    @property
    def outcome(self) -> str:
        """What came of the last attempt, as technical English."""
        return f"{f'HTTP {self.status}' if self.status else self.reason}, {self.duration_ms} ms"

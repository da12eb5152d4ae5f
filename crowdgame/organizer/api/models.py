"""API tokens: programs act for an organizer with them."""

from django.conf import settings
from django.db import models

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

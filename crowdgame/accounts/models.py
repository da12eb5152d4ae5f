"""Guests, who play without being organizers, and invitations of organizers."""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q
from django.utils import timezone
from django.utils.translation import gettext

GUEST_NAME_LENGTH, GUEST_SKELETON_LENGTH = 20, 255


class Guest(models.Model):
    """A player, shown as "Guest 12657" until they create an account.

    Without an account, a cookie identifies them. An account is a `user` who plays: it may not create events,
    and has a `name` that others see. `name_skeleton` is unique, so no two names look alike; it is None if an
    older account had a similar name before skeletons were introduced. `seen_on` is the day of the last visit.
    """

    number = models.PositiveIntegerField(unique=True)
    came_at = models.DateTimeField(auto_now_add=True)
    seen_on = models.DateField(null=True, default=timezone.localdate, db_index=True)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="guest"
    )
    name = models.CharField(max_length=GUEST_NAME_LENGTH, blank=True, default="", db_default="")
    name_skeleton = models.CharField(
        max_length=GUEST_SKELETON_LENGTH, null=True, blank=True, unique=True, editable=False
    )

    class Meta:
        constraints = [
            CheckConstraint(
                condition=Q(name="", name_skeleton=None, user=None) | (~Q(name="") & Q(user__isnull=False)),
                name="guest_account_complete",
            ),
        ]

    def __str__(self) -> str:
        return self.name or gettext("Guest %(number)s") % {"number": self.number}

    @property
    def has_account(self) -> bool:
        return self.user_id is not None


class AccountLanguage(models.Model):
    """The language that a user chose for their account: a code of settings.LANGUAGES."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    language = models.CharField(max_length=10)

    def __str__(self) -> str:
        return self.language


class Invitation(models.Model):
    """An invitation to create an organizer's account. Its link works once, until `expires_at`.

    `name` says whom it is for. Who signs up with `email` need not confirm that address. `administrator`: the
    account becomes a site administrator's.
    """

    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    name = models.CharField(max_length=80)
    email = models.EmailField(blank=True, default="")
    administrator = models.BooleanField(default=False, editable=False)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True, editable=False)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )

    def __str__(self) -> str:
        return f"invitation of {self.name}"


class QueuedMail(models.Model):
    """An e-mail about an account that waits for a worker: the fields of an `EmailMultiAlternatives`."""

    message = models.JSONField()
    queued_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"e-mail {self.pk}"

"""Invitations: links with which a person creates one organizer's account."""

import secrets
from datetime import timedelta
from hashlib import sha256

from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from crowdgame.accounts.models import Invitation

VALID_FOR = timedelta(days=7)
SESSION_KEY = "invitation"


def create_invitation(
    name: str, made_by: User | None = None, email: str = "", *, administrator: bool = False
) -> str:
    """Create an invitation for a person and return its token, which is stored as a hash only."""
    token = secrets.token_urlsafe(24)
    Invitation.objects.create(
        token_hash=_hash(token),
        name=name,
        email=email,
        administrator=administrator,
        made_by=made_by,
        expires_at=timezone.now() + VALID_FOR,
    )
    return token


def find_invitation(token: str) -> Invitation | None:
    """Return the unused, unexpired invitation with this token, or None."""
    return Invitation.objects.filter(is_open(), token_hash=_hash(token)).first()


def is_open() -> Q:
    return Q(used_at=None, expires_at__gt=timezone.now())


def find_open_invitation(request: HttpRequest) -> Invitation | None:
    """Return the invitation that this browser has opened, unless it is used or expired by now."""
    pk = request.session.get(SESSION_KEY)
    return Invitation.objects.filter(is_open(), pk=pk).first() if pk else None


def spend_invitation(request: HttpRequest, user: User | None) -> bool:
    """Mark this browser's invitation as used, by `user` if it created an account.

    Returns True to one of several concurrent callers.
    """
    pk = request.session.pop(SESSION_KEY, None)
    spent = Invitation.objects.filter(is_open(), pk=pk).update(used_at=timezone.now(), used_by=user) == 1
    if spent and user and Invitation.objects.filter(pk=pk, administrator=True).exists():
        user.is_staff = user.is_superuser = True
        user.save(update_fields=["is_staff", "is_superuser"])
    return spent


def revoke_invitation(pk: int) -> None:
    """Delete an unused invitation. Idempotent."""
    Invitation.objects.filter(pk=pk, used_at=None).delete()


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()

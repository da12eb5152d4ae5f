"""Invitations: spending or revoking one affects no other."""

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.test import RequestFactory

from crowdgame.accounts.invitations import (
    SESSION_KEY,
    create_invitation,
    find_invitation,
    find_open_invitation,
    revoke_invitation,
    spend_invitation,
)
from crowdgame.accounts.models import Invitation

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return User.objects.create_user("olga")


def opened(invitation: Invitation | None) -> HttpRequest:
    request = RequestFactory().post("/console/signup/")
    request.session = SessionStore()
    if invitation:
        request.session[SESSION_KEY] = invitation.pk
    return request


def invitation(name: str, *, administrator: bool = False) -> Invitation:
    found = find_invitation(create_invitation(name, administrator=administrator))
    assert found
    return found


def test_spent_invitation_names_its_user_and_leaves_others_open(user: User) -> None:
    mine, other = invitation("Olga"), invitation("Otto")
    request = opened(mine)
    assert find_open_invitation(request) == mine
    assert spend_invitation(request, user)
    assert not spend_invitation(request, user)
    assert not spend_invitation(opened(mine), user)
    assert find_open_invitation(opened(mine)) is None
    assert find_open_invitation(opened(other)) == other
    assert find_open_invitation(opened(None)) is None
    assert not spend_invitation(opened(None), user)
    assert [one.used_by for one in Invitation.objects.order_by("pk")] == [user, None]


@pytest.mark.parametrize("administrator", [False, True])
def test_only_an_invitation_of_an_administrator_makes_one(administrator: bool, user: User) -> None:
    mine = invitation("Olga", administrator=administrator)
    invitation("Otto", administrator=not administrator)
    assert spend_invitation(opened(mine), user)
    user.refresh_from_db()
    assert (user.is_staff, user.is_superuser) == (administrator, administrator)


def test_only_the_revoked_unused_invitation_is_deleted(user: User) -> None:
    used, revoked, other = (invitation(name) for name in ("used", "revoked", "other"))
    assert spend_invitation(opened(used), user)
    for one in (used, revoked, revoked):
        revoke_invitation(one.pk)
    assert set(Invitation.objects.all()) == {used, other}

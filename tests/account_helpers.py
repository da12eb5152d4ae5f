"""Operations on accounts for tests, run in a stack's own database by `tests.organizer`."""

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from crowdgame.accounts.invitation_views import invitation_path
from crowdgame.accounts.invitations import create_invitation
from crowdgame.organizer.api.tokens import Scope, create_token
from tests.voting.match_helpers import organizer
from voting.models import Event


def session(name: str, superuser: bool = False) -> str:
    rights = {"is_superuser": superuser, "is_staff": superuser}
    user, _ = User.objects.get_or_create(username=name, defaults=rights)
    client = Client()
    client.force_login(user)
    return f"sessionid={client.cookies['sessionid'].value}"


def api_token(name: str, scopes: list[Scope]) -> str:
    return create_token(organizer(name), "script", scopes)


def invite(name: str) -> str:
    return invitation_path(create_invitation(name))


def confirmed_organizer(name: str, password: str) -> None:
    user = User.objects.create_user(name, f"{name}@example.org", password)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)


def give_away_events(name: str) -> None:
    """Give the user's events to another one; no gateway is notified."""
    Event.objects.filter(owner=organizer(name)).update(owner=organizer())


def set_password(name: str, password: str) -> None:
    user = organizer(name)
    user.set_password(password)
    user.save()


def change_password(event_id: int, name: str) -> None:
    set_password(name, "another password")


def log_out(name: str) -> None:
    key = str(User.objects.get(username=name).pk)
    for kept in Session.objects.all():
        if kept.get_decoded().get("_auth_user_id") == key:
            kept.delete()


def deactivate(name: str) -> None:
    User.objects.filter(username=name).update(is_active=False)

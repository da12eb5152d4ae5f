"""Accounts and admission for tests: operations in a stack's own database, run by `tests.organizer`."""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from crowdgame.accounts.invitation_views import invitation_path
from crowdgame.accounts.invitations import create_invitation
from crowdgame.organizer.api.tokens import Scope, create_token
from tests.voting.match_helpers import organizer
from voting.admission.admission import CODE_PERIOD_MS, rotating_code
from voting.admission.roster import read_roster
from voting.admission.tickets import make_roster, make_tickets, release_tickets
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Team, Ticket
from voting.terms import HANDS, PHONES

box = BallotBox()


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


def edit(event_id: int, **fields: Any) -> None:
    """Save and announce these fields, as the form does."""
    Event.objects.filter(pk=event_id).update(**fields)
    announce_edit(event_id, box.now())


def vote_by_hands(event_id: int, teams: list[int]) -> None:
    """Switch these teams to a show of hands and the others to phones; announce it."""
    Team.objects.filter(event_id=event_id).update(source=PHONES)
    Team.objects.filter(event_id=event_id, number__in=teams).update(source=HANDS)
    announce_edit(event_id, box.now())


def tickets(event_id: int, count: int) -> list[str]:
    return [ticket.code for ticket in make_tickets(Event.objects.get(pk=event_id), count)]


def roster(event_id: int, text: str) -> list[str]:
    event = Event.objects.get(pk=event_id)
    roster = read_roster(text, dict(event.teams.values_list("number", "name")))
    return [ticket.code for ticket in make_roster(event, roster.pupils)]


def release(event_id: int, code: str) -> int:
    return release_tickets(event_id, [Ticket.objects.get(event_id=event_id, code=code).pk])


def earlier_code(code: str, periods: int) -> str:
    """The rotating code that the projector showed this many periods ago."""
    return rotating_code(code, box.now() - periods * CODE_PERIOD_MS)[0]

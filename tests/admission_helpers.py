"""Organizer operations on admission, run in a stack's own database by `tests.organizer`."""

from typing import Any

from voting.admission.admission import CODE_PERIOD_MS, rotating_code
from voting.admission.roster import read_roster
from voting.admission.tickets import make_roster, make_tickets, release_tickets
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Team, Ticket
from voting.terms import HANDS, PHONES

box = BallotBox()


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

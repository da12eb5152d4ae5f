"""Access codes (invitation codes): tickets and roster codes, each for one voter, made by an organizer.

A ticket admits one device until the organizer releases it. A roster code admits every device. Both always
stand for the same voter, so there is one ballot however many devices have its seat.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.db import OperationalError, transaction
from django.db.models import Count, F
from django.db.models.functions import Coalesce
from django.utils.formats import number_format
from django.utils.translation import gettext

from voting.admission.admission import TICKET_LENGTH
from voting.admission.roster import MAX_ERRORS, Pupil, RosterError
from voting.events import CODE_LETTERS
from voting.models import Event, Ticket

MAX_TICKETS = 5_000
INSERT_BATCH_SIZE = 500

TicketRefusal = Literal["key_wrong", "key_used", "team_needed"]


class TooManyTickets(Exception):
    """The event would have more than MAX_TICKETS codes. The message can be shown to the organizer."""


@dataclass(frozen=True, slots=True)
class PresentedKey:
    """A key presented at time `at` (ms), with a wish for a team (0: any).

    With `again` a used code admits again, as a roster code does. With `balance_teams` a voter whose code has
    no team joins the smaller one.
    """

    key: str
    wish: int
    at: int
    again: bool
    balance_teams: bool


@dataclass(frozen=True, slots=True)
class ClaimedTicket:
    """The voter that a ticket admits. `first` means that the ticket was unused (or released) before."""

    voter: str
    team: int
    ticket: int
    first: bool


def claim_tickets(event_id: int, shown: Sequence[PresentedKey]) -> list[ClaimedTicket | TicketRefusal]:
    """Claim tickets in one transaction; the result is in the order of `shown`.

    A ticket presented several times, in this batch or elsewhere, is claimed once. With `again` the others get
    the same voter, without it `key_used`. If all codes are wrong, nothing is locked. Raises
    OperationalError.
    """
    if not Ticket.objects.filter(event_id=event_id, code__in={one.key for one in shown}).exists():
        return ["key_wrong"] * len(shown)
    with transaction.atomic():
        tickets = _lock_tickets(event_id, {one.key for one in shown})
        sizes = _team_sizes(event_id) if any(one.balance_teams for one in shown) else {}
        claims = [_claim(tickets.get(one.key), one, sizes) for one in shown]
        first = {
            claim.ticket: claim.team for claim in claims if isinstance(claim, ClaimedTicket) and claim.first
        }
        _mark_used(first, max((one.at for one in shown), default=0))
    return claims


def _lock_tickets(event_id: int, keys: set[str]) -> dict[str, Ticket]:
    """Lock the tickets' rows against other claims. On SQLite the whole database is locked."""
    tickets = Ticket.objects.select_for_update(no_key=True).filter(event_id=event_id, code__in=keys)
    return {ticket.code: ticket for ticket in tickets.order_by("code")}


def _team_sizes(event_id: int) -> dict[int, int]:
    used = Ticket.objects.filter(event_id=event_id, used_at__isnull=False).order_by()
    counted = used.values_list("team").annotate(Count("pk"))
    return {1: 0, 2: 0} | {team: count for team, count in counted if team}


def _claim(
    ticket: Ticket | None, shown: PresentedKey, sizes: dict[int, int]
) -> ClaimedTicket | TicketRefusal:
    if ticket is None:
        return "key_wrong"
    if ticket.used_at is not None:
        if not shown.again or ticket.team is None:
            return "key_used"
        return ClaimedTicket(ticket.voter, ticket.team, ticket.pk, first=False)
    balance_teams = min(sizes, key=sizes.__getitem__) if shown.balance_teams else 0
    team = ticket.team or balance_teams or shown.wish
    if not team:
        return "team_needed"
    ticket.used_at, ticket.team = shown.at, team
    sizes[team] = sizes.get(team, 0) + 1
    return ClaimedTicket(ticket.voter, team, ticket.pk, first=True)


def _mark_used(teams: Mapping[int, int], at: int) -> None:
    """Mark tickets as used (compare-and-set). `teams` maps tickets to teams.

    Raises OperationalError if one was used meanwhile.
    """
    for team in (1, 2):
        ids = [ticket for ticket, given in teams.items() if given == team]
        unused = Ticket.objects.filter(pk__in=ids, used_at=None)
        first = Coalesce(F("first_used_at"), at)
        if unused.update(used_at=at, first_used_at=first, team=team) != len(ids):
            raise OperationalError("a ticket was claimed past its lock")


def release_tickets(event_id: int, ids: Iterable[int]) -> int:
    """Let tickets be used again, for the same voter and team. Returns how many were in use."""
    used = Ticket.objects.filter(event_id=event_id, pk__in=list(ids), used_at__isnull=False)
    return used.update(used_at=None)


def make_tickets(event: Event, count: int) -> list[Ticket]:
    """Create `count` tickets. Raises TooManyTickets."""
    return _create_tickets(event, [Pupil("", None)] * count)


def make_roster(event: Event, pupils: Sequence[Pupil]) -> list[Ticket]:
    """Create a roster code for each pupil. Raises RosterError for a name in use, and TooManyTickets."""
    return _create_tickets(event, pupils)


def check_roster(event: Event, pupils: Sequence[Pupil]) -> None:
    """Raise what `make_roster` would: RosterError for names in use, or TooManyTickets."""
    known = {label.casefold() for label in event.tickets.exclude(label="").values_list("label", flat=True)}
    if used := [pupil.name for pupil in pupils if pupil.name.casefold() in known]:
        text = gettext("“%(name)s” already has a code. Add an initial to tell them apart.")
        raise RosterError(*(text % {"name": name} for name in used[:MAX_ERRORS]))
    room = MAX_TICKETS - event.tickets.count()
    if len(pupils) > room:
        text = gettext("An event can have at most %(most)s codes. You can add %(room)s more.")
        most = number_format(MAX_TICKETS, force_grouping=True)
        raise TooManyTickets(text % {"most": most, "room": number_format(room, force_grouping=True)})


def delete_unused_tickets(event: Event, newest: int) -> int:
    """Delete the tickets that were never used, up to the key `newest`, and return how many.

    Released tickets stay.
    """
    return event.tickets.filter(first_used_at=None, pk__lte=newest).delete()[0]


def _create_tickets(event: Event, pupils: Sequence[Pupil]) -> list[Ticket]:
    with transaction.atomic():
        Event.objects.select_for_update(no_key=True).get(pk=event.pk)
        check_roster(event, pupils)
        taken = set(event.tickets.values_list("code", flat=True))
        made = [
            Ticket(event=event, code=_new_code(taken), label=pupil.name, team=pupil.team, voter=voter)
            for pupil, voter in ((pupil, secrets.token_hex(8)) for pupil in pupils)
        ]
        return Ticket.objects.bulk_create(made, batch_size=INSERT_BATCH_SIZE)


def _new_code(taken: set[str]) -> str:
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(TICKET_LENGTH))
        if code not in taken:
            taken.add(code)
            return code

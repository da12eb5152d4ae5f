from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.db import OperationalError, connection

from tests.voting.match_helpers import new_event
from voting.admission import tickets
from voting.admission.roster import Pupil, RosterError
from voting.admission.tickets import (
    ClaimedTicket,
    PresentedKey,
    TicketRefusal,
    TooManyTickets,
    claim_tickets,
    make_roster,
    make_tickets,
    release_tickets,
)
from voting.models import Event, Ticket

pytestmark = pytest.mark.django_db

NOW = 1_000
Claims = Sequence[ClaimedTicket | TicketRefusal]


@pytest.fixture
def event() -> Event:
    return new_event()


def codes_for(event: Event, count: int) -> list[str]:
    return [ticket.code for ticket in make_tickets(event, count)]


def claim(event: Event, *keys: str, wish: int = 0, again: bool = False) -> Claims:
    """Claim the keys in one batch, on balanced teams unless there is a wish."""
    return claim_tickets(event.pk, [PresentedKey(key, wish, NOW, again, not wish) for key in keys])


def teams(claims: Claims) -> list[Any]:
    return [one.team if isinstance(one, ClaimedTicket) else one for one in claims]


def test_teams_of_used_tickets_of_the_event_are_balanced(event: Event) -> None:
    make_roster(event, [Pupil("Ada", 1), Pupil("Bob", 1)])
    elsewhere = new_event()
    claim(elsewhere, *codes_for(elsewhere, 2), wish=1)
    codes = codes_for(event, 12)
    assert teams(claim(event, codes[0])) == [1]
    for code in codes[1:4]:
        claim(event, code, wish=2)
    assert teams(claim(event, *codes[4:8])) == [1, 1, 1, 2]
    assert Counter(teams(claim(event, *codes[8:]))) == {1: 2, 2: 2}


def test_wrong_key_does_not_affect_others_of_its_batch(event: Event) -> None:
    [ticket], [elsewhere] = make_tickets(event, 1), codes_for(new_event(), 1)
    assert claim(event, "BCDFGHJK") == ["key_wrong"]
    claimed = ClaimedTicket(ticket.voter, 1, ticket.pk, True)
    assert claim(event, "BCDFGHJK", ticket.code, elsewhere) == ["key_wrong", claimed, "key_wrong"]


def test_ticket_that_is_used_past_its_lock_admits_no_second_voter(event: Event) -> None:
    [ticket] = make_tickets(event, 1)

    def use_first(execute: Any, sql: str, *arguments: Any) -> Any:
        if sql.startswith("UPDATE") and not others:
            others.append(sql)
            Ticket.objects.filter(pk=ticket.pk).update(used_at=NOW - 1)
        return execute(sql, *arguments)

    others: list[str] = []
    with connection.execute_wrapper(use_first), pytest.raises(OperationalError):
        claim(event, ticket.code)


def test_codes_of_an_event_are_limited(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tickets, "MAX_TICKETS", 1_003)
    make_tickets(event, 1_001)
    make_tickets(new_event(), 3)
    with pytest.raises(TooManyTickets, match=r"An event can have at most 1,003 codes\. You can add 2 more\."):
        make_tickets(event, 3)
    make_tickets(event, 2)
    assert event.tickets.count() == 1_003


def test_name_that_already_has_a_code_is_refused(event: Event) -> None:
    make_roster(event, [Pupil("Ada", None)])
    with pytest.raises(RosterError, match=r"“ADA” already has a code\. Add an initial to tell them apart\."):
        make_roster(event, [Pupil("Bob", None), Pupil("ADA", None)])
    assert event.tickets.count() == 1
    make_roster(new_event(), [Pupil("Ada", None)])


@pytest.mark.parametrize("again", [False, True])
def test_code_presented_twice_admits_one_voter(again: bool, event: Event) -> None:
    [ticket] = make_tickets(event, 1)
    same = ClaimedTicket(ticket.voter, 2, ticket.pk, False)
    refused = same if again else "key_used"
    assert claim(event, ticket.code, ticket.code, wish=2, again=again) == [replace(same, first=True), refused]
    assert claim(event, ticket.code, wish=1, again=again) == [refused]
    ticket.refresh_from_db()
    assert (ticket.used_at, ticket.first_used_at, ticket.team) == (NOW, NOW, 2)


def test_team_of_a_code_takes_precedence_and_others_need_a_wish(event: Event) -> None:
    pupils = [Pupil("Ada", 1), Pupil("Bob", 1), Pupil("Cy", None)]
    codes = [ticket.code for ticket in make_roster(event, pupils)]
    assert claim_tickets(event.pk, [PresentedKey(codes[2], 0, NOW, False, False)]) == ["team_needed"]
    assert Ticket.objects.get(code=codes[2]).used_at is None
    assert teams(claim(event, codes[0], wish=2, again=True)) == [1]
    assert teams(claim(event, *codes[1:], again=True)) == [1, 2]


def test_released_ticket_admits_the_same_voter_to_the_same_team(event: Event) -> None:
    [ticket, other] = make_tickets(event, 2)
    claimed = claim(event, ticket.code, wish=2)
    assert release_tickets(new_event().pk, [ticket.pk]) == 0
    assert release_tickets(event.pk, [other.pk]) == 0
    assert release_tickets(event.pk, [ticket.pk, other.pk]) == 1
    assert claim_tickets(event.pk, [PresentedKey(ticket.code, 1, NOW + 5, False, False)]) == claimed
    ticket.refresh_from_db()
    assert (ticket.used_at, ticket.first_used_at) == (NOW + 5, NOW)

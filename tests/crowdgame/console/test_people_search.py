"""Whom an organizer finds by name or sign."""

import pytest

from crowdgame.console.people_search import AT_ONCE, find_people
from games.models import Event
from tests.voting.match_helpers import new_event
from voting.admission.roster import Pupil
from voting.admission.seats import derive_voter_code
from voting.admission.tickets import make_roster, make_tickets
from voting.models import StoredRestriction, Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    made = new_event()
    make_roster(made, [Pupil("Zoë Quinn", 1), Pupil("Ada Lovelace", 2), Pupil("Alan Turing", None)])
    return made


def names(event: Event, query: str = "", skip: int = 0) -> list[str]:
    return [one.name for one in find_people(event.pk, query, skip).people]


def voter_code(event: Event, name: str) -> str:
    return derive_voter_code(Ticket.objects.get(event=event, label=name).voter)


def test_a_class_is_listed_by_name_with_sign_and_team(event: Event) -> None:
    found = find_people(event.pk, "", 0)
    assert [(one.name, one.team, one.moved, one.banned) for one in found.people] == [
        ("Ada Lovelace", 2, None, False),
        ("Alan Turing", None, None, False),
        ("Zoë Quinn", 1, None, False),
    ]
    assert [one.voter_code for one in found.people] == [voter_code(event, one.name) for one in found.people]
    assert found.total == 3


def test_part_of_a_name_or_of_a_sign_finds_it(event: Event) -> None:
    assert names(event, "LOVE") == ["Ada Lovelace"]
    assert names(event, " zoë") == ["Zoë Quinn"]
    whole = voter_code(event, "Alan Turing")
    assert names(event, whole[1:5].lower()) == ["Alan Turing"]
    assert names(event, f"{whole[:3]} {whole[3:]}") == ["Alan Turing"]
    assert names(event, "nobody") == []


def test_who_is_moved_or_kept_out_comes_first_with_a_name_or_without(event: Event) -> None:
    StoredRestriction.objects.create(event=event, voter_code=voter_code(event, "Zoë Quinn"), team=2, at=1)
    StoredRestriction.objects.create(event=event, voter_code="BCDFGH", banned=True, at=1)
    StoredRestriction.objects.create(event=event, voter_code="QQQQQQ", kicked_at=1, at=1)
    found = find_people(event.pk, "", 0).people
    assert [(one.name, one.moved, one.banned) for one in found] == [
        ("", None, True),
        ("Zoë Quinn", 2, False),
        ("Ada Lovelace", None, False),
        ("Alan Turing", None, False),
    ]


def test_a_whole_sign_is_somebody_though_no_list_knows_it(event: Event) -> None:
    (found,) = find_people(event.pk, "wxz bcd", 0).people
    assert (found.voter_code, found.name, found.team, found.banned) == ("WXZBCD", "", None, False)


def test_a_ticket_without_a_name_is_found_by_its_sign_alone(event: Event) -> None:
    (ticket,) = make_tickets(event, 1)
    Ticket.objects.filter(pk=ticket.pk).update(team=2)
    assert len(names(event)) == 3
    (found,) = find_people(event.pk, derive_voter_code(ticket.voter), 0).people
    assert (found.name, found.team) == ("", 2)


def test_many_come_some_at_a_time(event: Event) -> None:
    make_roster(event, [Pupil(f"Pupil {number:03}", None) for number in range(120)])
    pages = [find_people(event.pk, "pupil", skip) for skip in (0, AT_ONCE, 2 * AT_ONCE, 500)]
    assert [(len(page.people), page.total, page.skip) for page in pages] == [
        (50, 120, 0),
        (50, 120, 50),
        (20, 120, 100),
        (0, 120, 500),
    ]
    assert len({one.voter_code for page in pages for one in page.people}) == 120


def test_nobody_of_another_event_is_found(event: Event) -> None:
    other = new_event()
    make_roster(other, [Pupil("Grace Hopper", None)])
    StoredRestriction.objects.create(event=other, voter_code="BCDFGH", banned=True, at=1)
    assert names(event, "grace") == []
    assert "" not in names(event)

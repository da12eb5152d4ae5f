"""People of an event: restrictions by voter code, and search by name or code."""

from contextlib import closing

import pytest
from django.conf import settings

from crowdgame.console.actions.people import MAX_RESTRICTIONS
from crowdgame.console.people_search import PAGE_SIZE, find_people
from tests.voting.action_helpers import done_by, record_voters, refused, words_of
from tests.voting.match_helpers import new_event
from voting.admission.restrictions import Restriction, load_restrictions
from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster, make_tickets
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key
from voting.ballot_box.stores import connect
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, StoredRestriction, Ticket
from voting.protocol import PeopleFound

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]
VOTER_CODE = "BCDFGH"


def restriction(event_id: int) -> Restriction:
    return load_restrictions([event_id])[event_id].get(VOTER_CODE, Restriction())


def test_restrictions_are_described_without_names(box: BallotBox) -> None:
    event = new_event()
    (ticket,) = make_tickets(event, 1)
    voter_code = derive_voter_code(ticket.voter)
    for action, more, words in [
        ("voter.move", {"team": 2}, "olga moved {} to Doves"),
        ("voter.move", {}, "olga moved {} back"),
        ("voter.kick", {}, "olga removed {}"),
        ("voter.ban", {}, "olga banned {}"),
        ("voter.admit", {}, "olga unbanned {}"),
    ]:
        typed = f"{voter_code[:3]} {voter_code[3:]}".lower()
        text = words_of(event.pk, action, box, voter_code=typed, **more)
        assert text == words.format(voter_code)
    assert StoredRestriction.objects.count() == 1
    other = new_event()
    with refused("No phone has this code"):
        done_by(other.pk, "voter.ban", box, voter_code=voter_code)


@pytest.mark.parametrize("action", ["voter.move", "voter.kick", "voter.ban", "voter.captain"])
def test_action_on_code_that_no_phone_has_is_refused(action: str, box: BallotBox) -> None:
    event = new_event()
    record_voters(new_event().pk, VOTER_CODE)
    with refused(r"No phone has this code\."):
        done_by(event.pk, action, box, voter_code=VOTER_CODE, team=2)
    assert not StoredRestriction.objects.exists()
    record_voters(event.pk, VOTER_CODE)
    record_voters(event.pk, VOTER_CODE, connected=False)
    assert VOTER_CODE in words_of(event.pk, action, box, voter_code=VOTER_CODE, team=2)


def test_kick_has_no_undo(box: BallotBox) -> None:
    """The phone rejoins by itself."""
    event = new_event()
    record_voters(event.pk, VOTER_CODE)
    assert done_by(event.pk, "voter.kick", box, voter_code=VOTER_CODE).undo is None
    first = restriction(event.pk).kicked_at
    while box.now() == first:
        pass
    done_by(event.pk, "voter.kick", box, voter_code=VOTER_CODE)
    assert restriction(event.pk).kicked_at > first > 0


def test_restrictions_of_an_event_are_limited(box: BallotBox) -> None:
    event = new_event()
    record_voters(event.pk, VOTER_CODE)
    StoredRestriction.objects.bulk_create(
        StoredRestriction(event=event, voter_code=f"{number:06}", banned=True, at=1)
        for number in range(MAX_RESTRICTIONS)
    )
    with refused("At most 500"):
        done_by(event.pk, "voter.ban", box, voter_code=VOTER_CODE)


def test_restrictions_apply_to_one_event(box: BallotBox) -> None:
    event, other = new_event(), new_event()
    record_voters(event.pk, VOTER_CODE)
    done_by(event.pk, "voter.ban", box, voter_code=VOTER_CODE)
    banned = {VOTER_CODE: Restriction(banned=True)}
    assert load_restrictions([event.pk, other.pk]) == {event.pk: banned, other.pk: {}}


# ------------------------------------------------------------------ search
@pytest.fixture
def event() -> Event:
    created = new_event()
    make_roster(created, [Pupil("Zoë Quinn", 1), Pupil("Ada Lovelace", 2), Pupil("Alan Turing", None)])
    return created


def find(event: Event, query: str = "", skip: int = 0) -> PeopleFound:
    with closing(BallotBox()) as box:
        return find_people(event.pk, query, skip, box)


def names(event: Event, query: str = "", skip: int = 0) -> list[str]:
    return [one.name for one in find(event, query, skip).people]


def voter_code(event: Event, name: str) -> str:
    return derive_voter_code(Ticket.objects.get(event=event, label=name).voter)


def test_roster_is_listed_by_name_with_code_and_team(event: Event) -> None:
    found = find(event)
    expected = [("Ada Lovelace", 2), ("Alan Turing", None), ("Zoë Quinn", 1)]
    assert [(one.name, one.team) for one in found.people] == expected
    assert [one.voter_code for one in found.people] == [voter_code(event, name) for name, _ in expected]
    assert found.total == 3
    other = new_event()
    make_roster(other, [Pupil("Grace Hopper", None)])
    StoredRestriction.objects.create(event=other, voter_code=VOTER_CODE, banned=True, at=1)
    assert find(event) == found, "of this event only"


def test_search_matches_part_of_name_or_code(event: Event) -> None:
    assert names(event, "LOVE") == ["Ada Lovelace"]
    assert names(event, " zoë") == ["Zoë Quinn"]
    whole = voter_code(event, "Alan Turing")
    assert names(event, whole[1:5].lower()) == ["Alan Turing"]
    assert names(event, f"{whole[:3]} {whole[3:]}") == ["Alan Turing"]
    assert names(event, "nobody") == []


def test_restricted_people_are_listed_first(event: Event) -> None:
    StoredRestriction.objects.create(event=event, voter_code=voter_code(event, "Zoë Quinn"), team=2, at=1)
    StoredRestriction.objects.create(event=event, voter_code="BCDFGH", banned=True, at=1)
    StoredRestriction.objects.create(event=event, voter_code="QQQQQQ", kicked_at=1, at=1)
    found = find(event).people
    assert [(one.name, one.moved, one.banned) for one in found] == [
        ("", None, True),
        ("Zoë Quinn", 2, False),
        ("Ada Lovelace", None, False),
        ("Alan Turing", None, False),
    ]


def test_whole_voter_code_is_found_without_a_roster_entry(event: Event) -> None:
    assert find(event, "wxz bcd").people == ()
    record_voters(event.pk, "WXZBCD")
    (found,) = find(event, "wxz bcd").people
    assert (found.voter_code, found.name, found.team, found.banned) == ("WXZBCD", "", 1, False)
    assert find(event, "wxz bc").people == ()


def test_search_tells_who_is_connected(event: Event, box: BallotBox) -> None:
    """A voter is connected while the gateway that recorded it last has a fresh heartbeat."""
    ada = voter_code(event, "Ada Lovelace")

    def is_connected() -> bool:
        return find(event, ada).people[0].connected

    assert not is_connected()
    record_voters(event.pk, ada)
    assert not is_connected(), "its gateway has no heartbeat"
    with connect(settings.BALLOT_BOX_URL) as redis:
        for gateway in ("a", "b"):
            redis.hset(event_key(event.pk, "gateways"), gateway, f"{box.now()} 0.0 1 0 0")
    assert is_connected()
    record_voters(event.pk, ada, gateway="b")
    record_voters(event.pk, ada, gateway="a", connected=False)
    assert is_connected(), "it is at the other gateway now"
    record_voters(event.pk, ada, gateway="b", connected=False)
    assert not is_connected()


def test_number_of_recorded_voters_is_limited(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.ballot_box.known_voters.MAX_KNOWN_VOTERS", 1)
    record_voters(event.pk, "BCDFGH", "BCDFGJ")
    assert [len(find(event, code).people) for code in ("BCDFGH", "BCDFGJ")] == [1, 0]


def test_unnamed_ticket_is_found_by_voter_code_only(event: Event) -> None:
    (ticket,) = make_tickets(event, 1)
    Ticket.objects.filter(pk=ticket.pk).update(team=2)
    assert len(names(event)) == 3
    (found,) = find(event, derive_voter_code(ticket.voter)).people
    assert (found.name, found.team) == ("", 2)


def test_search_results_are_paginated(event: Event) -> None:
    make_roster(event, [Pupil(f"Pupil {number:03}", None) for number in range(120)])
    pages = [find(event, "pupil", skip) for skip in (0, PAGE_SIZE, 2 * PAGE_SIZE, 500)]
    sizes = [(len(page.people), page.total, page.skip) for page in pages]
    assert sizes == [(50, 120, 0), (50, 120, 50), (20, 120, 100), (0, 120, 500)]
    assert len({one.voter_code for page in pages for one in page.people}) == 120

"""The list of events: search, order, pages, dates and the archive."""

import re
from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.cups.cups import create_cup, start_pairing
from crowdgame.organizer.cups.models import Cup
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event
from voting.terms import MatchState
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def listed(client: Client, query: str = "") -> Sequence[str]:
    page = client.get(f"/console/{query}").content.decode()
    return re.findall("<h2>(?:<bdi>)?([^<]+)(?:</bdi>)?</h2>", page.split('class="panel empty"')[0])


@pytest.mark.parametrize("superuser", [False, True])
def test_list_has_pages_and_only_own_events_without_duels(
    *, superuser: bool, client: Client, organizer: User, other: User
) -> None:
    for number in range(25):
        create_event(organizer, f"Evening {number}", ("Rooks", "Doves"))
    create_event(organizer, "A duel", ("Ada", "Bea"), fixed_players=True)
    create_event(other, "Another's", ("Rooks", "Doves"))
    Cup.objects.bulk_create(Cup(owner=organizer, name=f"Cup {n}", code=f"CUP{n:02d}") for n in range(12))
    User.objects.filter(pk=organizer.pk).update(is_superuser=superuser)
    client.force_login(organizer)
    events = [f"Evening {number}" for number in range(25)][::-1]
    cups = [f"Cup {number}" for number in range(12)][::-1]
    assert listed(client) == cups[:10] + events[:20]
    assert listed(client, "?page=2&cups=2") == cups[10:] + events[20:]


def test_search_covers_names_teams_and_codes(browser: Client, event: Event, organizer: User) -> None:
    event.teams.filter(number=1).update(name="Rooks")
    create_event(organizer, "Night", ("North", "South"))
    cup = create_cup(organizer, "Spring", ("Class four", "Class five"))
    for query, found in [
        ("gala", ["Gala"]),
        ("NIGHT", ["Night"]),
        ("rook", ["Gala"]),
        ("five", ["Spring"]),
        ("100%", []),
        (f"{event.code[:2].lower()}%E2%80%93{event.code[2:]}+", ["Gala"]),
        (cup.code, ["Spring"]),
    ]:
        assert listed(browser, f"?q={query}") == found, query


def test_live_event_comes_first_and_dates_are_localized(
    browser: Client, event: Event, organizer: User, box: BallotBox
) -> None:
    create_event(organizer, "Later", ("North", "South"))
    match = start_match(event.pk, box)
    assert listed(browser) == ["Gala", "Later"]
    event.matches.filter(pk=match.pk).update(
        state=MatchState.ENDED, result="red", ended_by="board", ended_at=1_790_000_000_000
    )
    page = browser.get("/console/", headers={"accept-language": "de"}).content.decode()
    assert 'data-moment="day">21. September 2026 UTC</time>' in page


def test_archived_event_and_cup_can_be_restored(browser: Client, event: Event, organizer: User) -> None:
    cup = create_cup(organizer, "Spring", ("Class four", "Class five"))
    for path in (f"/console/{event.code}", f"/console/cups/{cup.code}"):
        assert browser.get(f"{path}/archive/").status_code == 405
        assert browser.post(f"{path}/archive/?page=2").headers["Location"] == "/console/?page=2"
    assert listed(browser) == []
    assert listed(browser, "?show=archived") == ["Spring", "Gala"]
    for path in (f"/console/{event.code}", f"/console/cups/{cup.code}"):
        assert browser.post(f"{path}/restore/").status_code == 302
    assert listed(browser) == ["Spring", "Gala"]
    assert listed(browser, "?show=archived") == []
    assert not AuditEntry.objects.exists(), "an audit entry would postpone the anonymization"


def test_running_event_and_cup_are_listed_and_cannot_be_archived(
    browser: Client, event: Event, organizer: User, box: BallotBox
) -> None:
    archived = create_event(organizer, "Night", ("North", "South"))
    browser.post(f"/console/{archived.code}/archive/")
    start_match(archived.pk, box)
    cup = create_cup(organizer, "Spring", ("Class four", "Class five"))
    start_match(start_pairing(cup.pk, 1).pk, box)
    Event.objects.filter(pk=event.pk).update(next_match_at=1)
    for path in (f"/console/{event.code}", f"/console/cups/{cup.code}"):
        page = browser.post(f"{path}/archive/", follow=True).content.decode()
        assert "is live or about to start" in page
    assert sorted(listed(browser)) == ["Gala", "Night", "Spring"]
    assert listed(browser, "?show=archived") == []


def test_empty_list_leads_to_the_first_event_or_to_the_archive(
    browser: Client, event: Event, organizer: User, other: User
) -> None:
    Member.objects.create(event=event, user=other, role="cohost")
    browser.force_login(other)
    assert browser.post(f"/console/{event.code}/archive/").status_code == 404
    assert listed(browser) == ["Gala"], "members see it, too"
    browser.force_login(organizer)
    browser.post(f"/console/{event.code}/archive/")
    assert "?show=archived" in browser.get("/console/").content.decode()
    event.delete()
    page = browser.get("/console/").content.decode()
    assert ("?show=archived" in page, "Two crowds, one board" in page) == (False, True)

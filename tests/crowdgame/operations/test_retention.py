"""Some time after an event nothing says any more who voted for what; it can still be counted."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone

from crowdgame.cups.cups import begin_pairing
from crowdgame.events.models import AuditEntry
from games.matches import load_position
from games.models import Match, Turn
from tests.crowdgame.cups.cup_helpers import new_cup
from tests.crowdgame.operations.retention_helpers import (
    anonymize,
    at_rest_since,
    lists,
    played,
    whatever_is_stored,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, StoredBallot, StoredRestriction, TallyRecord, Ticket

pytestmark = pytest.mark.django_db


def test_voters_go_and_what_they_voted_stays_in_its_order(box: BallotBox) -> None:
    event = played(box)
    before = lists(event)
    assert any(ballot.voter for ballots in before for ballot in ballots)
    anonymize()
    after = lists(event)
    assert {(ballot.voter, ballot.sequence) for ballots in after for ballot in ballots} == {("", 0)}
    kept = [[(b.side, b.choice, b.arrival, b.blind) for b in ballots] for ballots in before]
    assert [[(b.side, b.choice, b.arrival, b.blind) for b in ballots] for ballots in after] == kept


def test_nothing_anywhere_says_who_a_voter_was(box: BallotBox) -> None:
    event = played(box)
    voters = {ballot.voter for ballots in lists(event) for ballot in ballots} | {
        "Karen",
        "KAREN7",
        "v1",
        "oscar",
    }
    stored = whatever_is_stored()
    assert all(voter in stored for voter in voters)
    anonymize()
    stored = whatever_is_stored()
    assert [voter for voter in voters if voter in stored] == []


def test_nothing_says_who_was_captain(box: BallotBox) -> None:
    event = played(box)
    event.teams.filter(number=1).update(captain="KXWQZT")
    Turn.objects.filter(match__event=event).update(yellow_captain="BCDFGH")
    anonymize()
    assert [voter_code for voter_code in ("KXWQZT", "BCDFGH") if voter_code in whatever_is_stored()] == []


def test_a_cup_goes_on_knowing_what_was_only_rehearsed(box: BallotBox) -> None:
    event = begin_pairing(new_cup().pk, 1)
    for action in ("rehearsal.start", "rehearsal.stop", "lobby.open"):
        AuditEntry.objects.create(event=event, by="olga", action=action, what="did it", at=1)
    at_rest_since(event, 31)
    anonymize()
    assert sorted(event.audit_entries.values_list("action", flat=True)) == [
        "rehearsal.start",
        "rehearsal.stop",
    ]
    assert not anonymize()


def test_counts_and_the_record_of_the_match_stay(box: BallotBox) -> None:
    event = played(box)
    match = Match.objects.get(event=event)
    shown = ["counts", "ballots", "pick", "decided_by", "root"]
    counts = list(TallyRecord.objects.order_by("pk").values(*shown))
    board = load_position(match).state
    anonymize()
    assert list(TallyRecord.objects.order_by("pk").values(*shown)) == counts
    assert load_position(Match.objects.get(pk=match.pk)).state == board
    event.refresh_from_db()
    assert event.anonymized_at is not None
    assert not StoredBallot.objects.exists()
    assert not Ticket.objects.exists()
    assert not Announcement.objects.exists()
    assert not AuditEntry.objects.exists()
    assert not StoredRestriction.objects.exists()


def test_the_command_says_what_it_does(box: BallotBox) -> None:
    event = played(box)
    said, what = StringIO(), f"{event.code}: voters of 8 tallies, 1 stored ballots, 1 tickets"
    call_command("retention", "--dry-run", stdout=said)
    assert f"would be forgotten: {what}" in said.getvalue()
    assert Ticket.objects.exists()
    call_command("retention", "--days", "40", stdout=said)
    assert Ticket.objects.exists()
    said = StringIO()
    call_command("retention", stdout=said)
    assert said.getvalue().startswith(f"forgotten: {what}")
    assert "1 events" in said.getvalue()


def test_old_sessions_go(box: BallotBox) -> None:
    now = timezone.now()
    Session.objects.create(session_key="old", session_data="", expire_date=now - timedelta(days=1))
    Session.objects.create(session_key="new", session_data="", expire_date=now + timedelta(days=1))
    anonymize()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["new"]

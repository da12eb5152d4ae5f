"""Retention removes the voters of old events; their ballots can still be counted."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone

from crowdgame.cups.cups import start_pairing
from crowdgame.events.models import AuditEntry
from games.matches import load_position
from games.models import Match, Turn
from tests.crowdgame.cups.cup_helpers import new_cup
from tests.crowdgame.operations.retention_helpers import (
    anonymize,
    backdate_event,
    dump_database,
    played_event,
    sealed_ballots,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, StoredBallot, StoredRestriction, TallyRecord, Ticket

pytestmark = pytest.mark.django_db


def test_anonymize_removes_voters_and_keeps_ballot_order(box: BallotBox) -> None:
    event = played_event(box)
    before = sealed_ballots(event)
    assert any(ballot.voter for ballots in before for ballot in ballots)
    anonymize()
    after = sealed_ballots(event)
    assert {(ballot.voter, ballot.sequence) for ballots in after for ballot in ballots} == {("", 0)}
    kept = [[(b.side, b.choice, b.arrival, b.blind) for b in ballots] for ballots in before]
    assert [[(b.side, b.choice, b.arrival, b.blind) for b in ballots] for ballots in after] == kept


def test_anonymize_leaves_no_voter_in_any_table(box: BallotBox) -> None:
    event = played_event(box)
    voters = {ballot.voter for ballots in sealed_ballots(event) for ballot in ballots} | {
        "Karen",
        "KAREN7",
        "v1",
        "oscar",
    }
    stored = dump_database()
    assert all(voter in stored for voter in voters)
    anonymize()
    stored = dump_database()
    assert [voter for voter in voters if voter in stored] == []


def test_anonymize_removes_captains(box: BallotBox) -> None:
    event = played_event(box)
    event.teams.filter(number=1).update(captain="KXWQZT")
    Turn.objects.filter(match__event=event).update(yellow_captain="BCDFGH")
    anonymize()
    assert [voter_code for voter_code in ("KXWQZT", "BCDFGH") if voter_code in dump_database()] == []


def test_anonymize_keeps_rehearsal_audit_entries(box: BallotBox) -> None:
    event = start_pairing(new_cup().pk, 1)
    for action in ("rehearsal.start", "rehearsal.stop", "lobby.open"):
        AuditEntry.objects.create(event=event, by="olga", action=action, what="did it", at=1)
    backdate_event(event, 31)
    anonymize()
    assert sorted(event.audit_entries.values_list("action", flat=True)) == [
        "rehearsal.start",
        "rehearsal.stop",
    ]
    assert not anonymize()


def test_anonymize_keeps_tallies_and_match_record(box: BallotBox) -> None:
    event = played_event(box)
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


def test_retention_command_prints_what_it_removes(box: BallotBox) -> None:
    event = played_event(box)
    output, summary = StringIO(), f"{event.code}: voters of 8 tallies, 1 stored ballots, 1 tickets"
    call_command("retention", "--dry-run", stdout=output)
    assert f"would be anonymized: {summary}" in output.getvalue()
    assert Ticket.objects.exists()
    call_command("retention", "--days", "40", stdout=output)
    assert Ticket.objects.exists()
    output = StringIO()
    call_command("retention", stdout=output)
    assert output.getvalue().startswith(f"anonymized: {summary}")
    assert "1 events" in output.getvalue()


def test_retention_deletes_expired_sessions(box: BallotBox) -> None:
    now = timezone.now()
    Session.objects.create(session_key="old", session_data="", expire_date=now - timedelta(days=1))
    Session.objects.create(session_key="new", session_data="", expire_date=now + timedelta(days=1))
    anonymize()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["new"]

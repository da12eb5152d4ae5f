"""When an event is due for retention: not while it plays, not twice, and again if interrupted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from crowdgame.console.audit_log import PerformedAction, add_audit_entry
from crowdgame.events.models import AuditEntry
from crowdgame.operations.retention import RECORDS_PER_STEP, anonymize_events, events_to_anonymize
from games.models import Event
from tests.crowdgame.operations.retention_helpers import (
    DAYS,
    anonymize,
    backdate_event,
    dump_database,
    played_event,
    sealed_ballots,
)
from tests.voting.match_helpers import RED_WINS, new_event, play
from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster
from voting.ballot_box.ballot_box import BallotBox
from voting.models import TallyRecord, Ticket
from voting.protocol import Pressed
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
OPENED = PerformedAction("opened the lobby", Pressed(action="lobby.open"))


def test_anonymize_skips_playing_and_recent_events(box: BallotBox) -> None:
    late, playing, due_to_play = played_event(box, DAYS - 1), played_event(box), played_event(box)
    start_match(playing.pk, box)
    Event.objects.filter(pk=due_to_play.pk).update(next_match_at=box.now() + 60_000)
    before = dump_database()
    assert not anonymize()
    assert dump_database() == before
    assert late.anonymized_at is None


def test_match_start_stops_anonymization(box: BallotBox) -> None:
    event = played_event(box)
    steps = anonymize_events(DAYS)
    next(steps)
    start_match(event.pk, box)
    list(steps)
    event.refresh_from_db()
    assert event.anonymized_at is None
    assert Ticket.objects.filter(event=event).exists()


def test_anonymize_includes_events_without_matches(box: BallotBox) -> None:
    old, young = new_event(), new_event()
    backdate_event(old, DAYS + 1)
    Ticket.objects.create(event=old, code="KAREN7", label="Karen", voter="v1")
    Ticket.objects.create(event=young, code="KAREN7", label="Karen", voter="v1")
    backdate_event(old, DAYS + 1)
    anonymize()
    assert list(Ticket.objects.values_list("event", flat=True)) == [young.pk]


@pytest.mark.parametrize("lobby", ["closed", "open"])
def test_new_roster_in_old_event_is_kept_until_old(box: BallotBox, lobby: str) -> None:
    """An open lobby alone does not keep an event."""
    unplayed, anonymized = new_event(), played_event(box)
    anonymize()
    for event in (unplayed, anonymized):
        Event.objects.filter(pk=event.pk).update(lobby=lobby)
        make_roster(event, [Pupil("Ada", None)])
        backdate_event(event, DAYS + 200)
        event.tickets.update(made_at=timezone.now() - timedelta(days=DAYS - 1))
    Event.objects.filter(pk=anonymized.pk).update(anonymized_at=timezone.now() - timedelta(days=DAYS + 100))
    assert not anonymize()
    Ticket.objects.update(made_at=timezone.now() - timedelta(days=DAYS + 1))
    assert {event.pk for event in events_to_anonymize(DAYS)} == {unplayed.pk, anonymized.pk}
    Ticket.objects.update(used_at=box.now())
    assert not anonymize()
    Ticket.objects.update(used_at=box.now() - (DAYS + 1) * 24 * 3600 * 1000)
    anonymize()
    assert not Ticket.objects.exists()


def test_recent_audit_entry_in_old_event_is_kept_until_old(box: BallotBox) -> None:
    event = played_event(box)
    anonymize()
    backdate_event(event, DAYS + 200)
    Event.objects.filter(pk=event.pk).update(anonymized_at=timezone.now() - timedelta(days=DAYS + 100))
    add_audit_entry(event.pk, "oscar", OPENED, box.now())
    assert not anonymize()
    assert AuditEntry.objects.exists()
    event.audit_entries.update(at=box.now() - (DAYS + 1) * 24 * 3600 * 1000)
    assert events_to_anonymize(DAYS) == [event]
    anonymize()
    assert not AuditEntry.objects.exists()


def test_new_roster_stops_anonymization(box: BallotBox) -> None:
    event = played_event(box)
    steps = anonymize_events(DAYS)
    next(steps)
    new_tickets = make_roster(event, [Pupil("Ada", None)])
    list(steps)
    assert set(new_tickets) <= set(event.tickets.all())
    event.refresh_from_db()
    assert event.anonymized_at is None


def test_anonymize_repeats_only_after_another_match(box: BallotBox) -> None:
    event = played_event(box)
    anonymize()
    assert not anonymize()
    backdate_event(event, 95)
    Event.objects.filter(pk=event.pk).update(anonymized_at=timezone.now() - timedelta(days=90))
    assert not anonymize()
    play(start_match(event.pk, box), box, RED_WINS)
    assert events_to_anonymize(DAYS) == []
    backdate_event(event, DAYS + 1)
    assert events_to_anonymize(DAYS) == [event]
    anonymize()
    assert {ballot.voter for ballots in sealed_ballots(event) for ballot in ballots} == {""}


def test_anonymize_works_in_batches_and_resumes(box: BallotBox) -> None:
    event = played_event(box)
    records = TallyRecord.objects.filter(turn__match__event=event).count()
    steps = anonymize_events(DAYS)
    assert next(steps).records == RECORDS_PER_STEP < records
    steps.close()
    assert events_to_anonymize(DAYS) == [event]
    *_, last = anonymize_events(DAYS)
    assert last.records == records - RECORDS_PER_STEP
    assert events_to_anonymize(DAYS) == []

"""The scheduler runs retention in small steps that delay no deadline."""

import pytest

from tests.crowdgame.operations.retention_helpers import played_event, sealed_ballots
from tests.voting.match_helpers import new_event, only_turn
from voting.ballot_box.ballot_box import BallotBox
from voting.models import TallyRecord, Ticket
from voting.turns.scheduler import PURGE_EVERY_S, DeadlineScheduler
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_scheduler_anonymizes_old_events(box: BallotBox) -> None:
    event = played_event(box)
    scheduler = DeadlineScheduler(box, purged_at=-PURGE_EVERY_S)
    for _ in range(20):
        scheduler.chores_at = 0.0
        scheduler.run_once()
    event.refresh_from_db()
    assert event.anonymized_at is not None
    assert not Ticket.objects.exists()


def test_failing_event_delays_no_other(box: BallotBox, caplog: pytest.LogCaptureFixture) -> None:
    broken, deleted, intact = (played_event(box) for _ in range(3))
    TallyRecord.objects.filter(turn__match__event=broken).update(sealed=b"[[1,")
    live = start_match(new_event().pk, box)
    scheduler = DeadlineScheduler(box, purged_at=-PURGE_EVERY_S)
    scheduler.run_once()  # the events are listed
    deleted.delete()
    for _ in range(20):
        scheduler.chores_at = 0.0
        scheduler.run_once()
    intact.refresh_from_db()
    assert intact.anonymized_at is not None
    assert all(f"event {event.code} could not be anonymized" in caplog.text for event in (broken, deleted))
    assert Ticket.objects.filter(event=broken).exists()
    assert not scheduler.is_waiting
    assert only_turn(live).state == "open"


def test_new_scheduler_does_not_run_retention_at_once(box: BallotBox) -> None:
    event = played_event(box)
    scheduler = DeadlineScheduler(box)
    for _ in range(3):
        scheduler.chores_at = 0.0
        scheduler.run_once()
    event.refresh_from_db()
    assert event.anonymized_at is None
    assert Ticket.objects.filter(event=event).exists()
    assert sealed_ballots(event)[0][0].voter

"""The clock forgets by itself, in steps for which no deadline waits."""

import pytest

from tests.crowdgame.operations.retention_helpers import lists, played
from tests.voting.match_helpers import new_event, only_turn
from voting.ballot_box.ballot_box import BallotBox
from voting.models import TallyRecord, Ticket
from voting.turns.scheduler import PURGE_EVERY_S, DeadlineScheduler
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_the_clock_does_it_by_itself(box: BallotBox) -> None:
    event = played(box)
    scheduler = DeadlineScheduler(box, purged_at=-PURGE_EVERY_S)
    for _ in range(20):
        scheduler.tended_at = 0.0
        scheduler.run_once()
    event.refresh_from_db()
    assert event.anonymized_at is not None
    assert not Ticket.objects.exists()


def test_an_event_that_cannot_be_forgotten_holds_up_no_other(
    box: BallotBox, caplog: pytest.LogCaptureFixture
) -> None:
    spoilt, deleted, sound = (played(box) for _ in range(3))
    TallyRecord.objects.filter(turn__match__event=spoilt).update(sealed=b"[[1,")
    live = start_match(new_event().pk, box)
    scheduler = DeadlineScheduler(box, purged_at=-PURGE_EVERY_S)
    scheduler.run_once()  # the events are listed
    deleted.delete()
    for _ in range(20):
        scheduler.tended_at = 0.0
        scheduler.run_once()
    sound.refresh_from_db()
    assert sound.anonymized_at is not None
    assert all(f"event {event.code} is not forgotten" in caplog.text for event in (spoilt, deleted))
    assert Ticket.objects.filter(event=spoilt).exists()
    assert not scheduler.waits
    assert only_turn(live).state == "open"


def test_a_clock_that_has_just_started_closes_turns_first(box: BallotBox) -> None:
    event = played(box)
    scheduler = DeadlineScheduler(box)
    for _ in range(3):
        scheduler.tended_at = 0.0
        scheduler.run_once()
    event.refresh_from_db()
    assert event.anonymized_at is None
    assert Ticket.objects.filter(event=event).exists()
    assert lists(event)[0][0].voter

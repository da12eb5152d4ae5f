"""When an event is to be forgotten: not while it plays, not twice, and from where it was cut short."""

from datetime import timedelta

import pytest
from django.utils import timezone

from crowdgame.events.audit import Done, add_audit_entry
from crowdgame.events.models import AuditEntry
from crowdgame.operations.retention import RECORDS_AT_ONCE, anonymize_events, events_to_anonymize
from games.models import Event
from tests.crowdgame.operations.retention_helpers import (
    DAYS,
    anonymize,
    at_rest_since,
    lists,
    played,
    whatever_is_stored,
)
from tests.voting.match_helpers import RED_WINS, new_event, play
from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster
from voting.ballot_box.ballot_box import BallotBox
from voting.models import TallyRecord, Ticket
from voting.protocol import Pressed
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
OPENED = Done("opened the doors", Pressed(action="lobby.open"))


def test_an_event_that_plays_or_played_of_late_is_left_alone(box: BallotBox) -> None:
    late, playing, due_to_play = played(box, DAYS - 1), played(box), played(box)
    start_match(playing.pk, box)
    Event.objects.filter(pk=due_to_play.pk).update(next_match_at=box.now() + 60_000)
    before = whatever_is_stored()
    assert not anonymize()
    assert whatever_is_stored() == before
    assert late.anonymized_at is None


def test_a_match_that_starts_in_the_middle_stops_it(box: BallotBox) -> None:
    event = played(box)
    steps = anonymize_events(DAYS)
    next(steps)
    start_match(event.pk, box)
    list(steps)
    event.refresh_from_db()
    assert event.anonymized_at is None
    assert Ticket.objects.filter(event=event).exists()


def test_an_event_nobody_played_is_forgotten_too(box: BallotBox) -> None:
    old, young = new_event(), new_event()
    at_rest_since(old, DAYS + 1)
    Ticket.objects.create(event=old, code="KAREN7", label="Karen", voter="v1")
    Ticket.objects.create(event=young, code="KAREN7", label="Karen", voter="v1")
    at_rest_since(old, DAYS + 1)
    anonymize()
    assert list(Ticket.objects.values_list("event", flat=True)) == [young.pk]


@pytest.mark.parametrize("lobby", ["closed", "open"])
def test_a_new_list_in_an_old_event_is_kept_until_it_is_old_itself(box: BallotBox, lobby: str) -> None:
    """An open lobby alone keeps nothing."""
    unplayed, anonymized = new_event(), played(box)
    anonymize()
    for event in (unplayed, anonymized):
        Event.objects.filter(pk=event.pk).update(lobby=lobby)
        make_roster(event, [Pupil("Ada", None)])
        at_rest_since(event, DAYS + 200)
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


def test_what_was_done_of_late_is_kept_until_it_is_old(box: BallotBox) -> None:
    event = played(box)
    anonymize()
    at_rest_since(event, DAYS + 200)
    Event.objects.filter(pk=event.pk).update(anonymized_at=timezone.now() - timedelta(days=DAYS + 100))
    add_audit_entry(event.pk, "oscar", OPENED, box.now())
    assert not anonymize()
    assert AuditEntry.objects.exists()
    event.audit_entries.update(at=box.now() - (DAYS + 1) * 24 * 3600 * 1000)
    assert events_to_anonymize(DAYS) == [event]
    anonymize()
    assert not AuditEntry.objects.exists()


def test_a_list_that_is_made_in_the_middle_stops_it(box: BallotBox) -> None:
    event = played(box)
    steps = anonymize_events(DAYS)
    next(steps)
    made = make_roster(event, [Pupil("Ada", None)])
    list(steps)
    assert set(made) <= set(event.tickets.all())
    event.refresh_from_db()
    assert event.anonymized_at is None


def test_doing_it_again_does_nothing_until_somebody_played_again(box: BallotBox) -> None:
    event = played(box)
    anonymize()
    assert not anonymize()
    at_rest_since(event, 95)
    Event.objects.filter(pk=event.pk).update(anonymized_at=timezone.now() - timedelta(days=90))
    assert not anonymize()
    play(start_match(event.pk, box), box, RED_WINS)
    assert events_to_anonymize(DAYS) == []
    at_rest_since(event, DAYS + 1)
    assert events_to_anonymize(DAYS) == [event]
    anonymize()
    assert {ballot.voter for ballots in lists(event) for ballot in ballots} == {""}


def test_it_goes_in_steps_and_one_cut_short_is_taken_up_again(box: BallotBox) -> None:
    event = played(box)
    records = TallyRecord.objects.filter(turn__match__event=event).count()
    steps = anonymize_events(DAYS)
    assert next(steps).records == RECORDS_AT_ONCE < records
    steps.close()
    assert events_to_anonymize(DAYS) == [event]
    *_, last = anonymize_events(DAYS)
    assert last.records == records - RECORDS_AT_ONCE
    assert events_to_anonymize(DAYS) == []

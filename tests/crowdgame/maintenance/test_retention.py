from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from msgspec.structs import replace

from crowdgame.accounts.models import Invitation
from crowdgame.events.audit_text import LogText
from crowdgame.events.models import AuditEntry, Organization, OrganizationMember
from crowdgame.maintenance import retention
from crowdgame.organizer.console.audit_log import PerformedAction, add_audit_entry
from crowdgame.results.analysis.models import MatchJudges
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, play, play_turn
from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.opened_ballots import load_opened_ballots
from voting.counting.ballots import Ballot, pack_ballots, unpack_ballots
from voting.counting.commitments import arrival_order
from voting.models import (
    Event,
    Match,
    Nickname,
    StoredBallot,
    StoredRestriction,
    StoredSideChange,
    TallyRecord,
    Ticket,
    Turn,
)
from voting.positions import load_position
from voting.protocol import Pressed
from voting.turns.scheduler import PURGE_EVERY_S, DeadlineScheduler
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
DAYS = 30
FIRST_TIME = 3_592_061_959_776_577  # an arrival of a turn in several shards, which is a time
DAY_MS = 24 * 3600 * 1000
OPENED = PerformedAction(LogText("%(by)s opened the lobby"), Pressed(action="lobby.open"))


def played_event(box: BallotBox, ended_days_ago: float = 31) -> Event:
    """An event whose only match ended that long ago, with every kind of row that may remain."""
    event = new_event()
    match = start_match(event.pk, box)
    first = play_turn(only_turn(match), box, [1, 2, 1], [2, 3])
    play(match, box, RED_WINS[1:])
    store_ballots(first.pk, [Ballot("v1", "red", 1, 4, blind="0123456789abcdef" * 2)], box.now())
    Ticket.objects.create(event=event, code="KAREN7", label="Karen", voter="v1")
    AuditEntry.objects.create(event=event, by="oscar", action="match.start", what="started match 1", at=1)
    StoredRestriction.objects.create(event=event, voter_code="BCDFGH", banned=True, at=1)
    Nickname.objects.create(event=event, voter_code="LMNPQR", name="Heron", allowed=True, chosen_at=1)
    MatchJudges.objects.create(turn=first, voters=["TVWXZB"])
    StoredSideChange.objects.create(match=match, voter="wanderer", number=1, turn=2, side="red", blind="")
    backdate_event(event, ended_days_ago)
    return event


def backdate_event(event: Event, days: float, anonymized_days_ago: float | None = None) -> None:
    then = timezone.now() - timedelta(days=days)
    Event.objects.filter(pk=event.pk).update(created_at=then)
    if anonymized_days_ago:
        at = timezone.now() - timedelta(days=anonymized_days_ago)
        Event.objects.filter(pk=event.pk).update(anonymized_at=at)
    event.matches.update(ended_at=int(then.timestamp() * 1000))
    event.tickets.update(made_at=then)
    event.audit_entries.update(at=int(then.timestamp() * 1000))


def anonymize() -> int:
    return len(list(retention.anonymize_events(DAYS)))


def sealed_ballots(event: Event) -> list[tuple[Ballot, ...]]:
    records = TallyRecord.objects.filter(turn__match__event=event).order_by("pk")
    return [unpack_ballots(bytes(record.sealed)) for record in records]


def dump_database() -> str:
    rows: list[Any] = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
            rows += cursor.fetchall()
    return "\n".join(repr(tuple(bytes(c) if isinstance(c, memoryview) else c for c in row)) for row in rows)


def is_anonymized(event: Event) -> bool:
    event.refresh_from_db()
    return event.anonymized_at is not None


def test_anonymize_removes_voters_and_keeps_ballots_tallies_and_board(box: BallotBox) -> None:
    event = played_event(box)
    event.teams.filter(number=1).update(captain="KXWQZT")
    match, before = Match.objects.get(event=event), sealed_ballots(event)
    match.turns.update(yellow_captain="QQQQQQ")
    tallied = TallyRecord.objects.order_by("pk").values("counts", "ballots", "pick", "decided_by", "root")
    tallies = list(tallied)
    orders = [arrival_order(ballots) for ballots in before]
    for record, ballots in zip(TallyRecord.objects.order_by("pk"), before, strict=True):
        timed = [replace(ballot, arrival=FIRST_TIME + 16 * ballot.arrival) for ballot in ballots]
        TallyRecord.objects.filter(pk=record.pk).update(sealed=pack_ballots(timed))
    board = load_position(match).state
    voters = {"wanderer", *(ballot.voter for ballots in before for ballot in ballots)}
    voters |= {"Karen", "KAREN7", "v1", "oscar", "KXWQZT", "QQQQQQ", "BCDFGH", "LMNPQR", "Heron", "TVWXZB"}
    stored = dump_database()
    assert all(voter in stored for voter in voters)
    anonymize()
    stored = dump_database()
    assert [voter for voter in voters if voter in stored] == []
    after = list(sealed_ballots(event))
    arrivals = [{ballot.arrival for ballot in ballots} for ballots in after]
    assert arrivals == [set(range(1, len(ballots) + 1)) for ballots in before]
    assert [arrival_order(ballots) for ballots in after] == orders
    for kept, ballots in zip(after, before, strict=True):
        pairs = zip(ballots, kept, strict=True)
        same = [replace(was, voter="", sequence=0, arrival=now.arrival) for was, now in pairs]
        assert list(kept) == same
    assert (list(tallied.all()), load_position(Match.objects.get(pk=match.pk)).state) == (tallies, board)
    assert is_anonymized(event)
    turn = match.turns.earliest("pk")
    assert load_opened_ballots(event.pk, turn.pk) is None, "else phones would miss their ballots in it"
    assert not event.announcements.exists()
    for model in (StoredBallot, Ticket, AuditEntry, StoredRestriction, Nickname):
        assert not model._default_manager.exists(), model


def test_retention_command_prints_what_it_removes_and_deletes_what_has_expired(box: BallotBox) -> None:
    school = Organization.objects.create(name="School")
    used_by = User.objects.create_user("ada")
    for key, days, user in (("old", -1, None), ("new", 1, None), ("used", -1, used_by)):
        expiry = timezone.now() + timedelta(days=days)
        Session.objects.create(session_key=key, expire_date=expiry)
        Invitation.objects.create(token_hash=key, name=key, expires_at=expiry, used_by=user)
        OrganizationMember.objects.create(organization=school, name=key, expires_at=expiry, user=user)
    event = played_event(box)
    output, summary = StringIO(), f"{event.code}: voters of 8 tallies, 1 stored ballots, 1 tickets"
    call_command("retention", "--dry-run", stdout=output)
    assert f"would be anonymized: {summary}" in output.getvalue()
    assert (Ticket.objects.exists(), Session.objects.count()) == (True, 3)
    call_command("retention", "--days", "40", stdout=output)
    assert Ticket.objects.exists()
    output = StringIO()
    call_command("retention", stdout=output)
    assert output.getvalue().startswith(f"anonymized: {summary}")
    assert "1 events" in output.getvalue()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["new"]
    for model in (Invitation, OrganizationMember):
        assert set(model._default_manager.values_list("name", flat=True)) == {"new", "used"}


def test_anonymize_skips_playing_and_recent_events(box: BallotBox) -> None:
    playing, due_to_play = played_event(box), played_event(box)
    played_event(box, DAYS - 1)
    start_match(playing.pk, box)
    Event.objects.filter(pk=due_to_play.pk).update(next_match_at=box.now() + 60_000)
    Ticket.objects.create(event=new_event(), code="OSKAR8", label="Oskar", voter="v2")
    before = dump_database()
    assert not anonymize()
    assert dump_database() == before
    unplayed = Event.objects.latest("pk")
    backdate_event(unplayed, DAYS + 1)
    anonymize()
    assert not unplayed.tickets.exists()


def test_anonymize_leaves_other_events_alone(box: BallotBox) -> None:
    old, recent = played_event(box), played_event(box, DAYS - 1)
    recent.teams.update(captain="KXWQZT")
    Turn.objects.filter(match__event=recent).update(yellow_captain="QQQQQQ")

    def kept() -> list[list[dict[str, Any]]]:
        own = recent.teams.all(), Turn.objects.filter(match__event=recent)
        rows = *(find(recent) for find in retention.PURGED_ROWS.values()), *own
        return [list(found.order_by("pk").values()) for found in rows]

    before = kept()
    anonymize()
    assert (kept(), is_anonymized(old), is_anonymized(recent)) == (before, True, False)


@pytest.mark.parametrize("interruption", ["match", "roster"])
def test_new_match_or_roster_stops_anonymization(interruption: str, box: BallotBox) -> None:
    event = played_event(box)
    steps = retention.anonymize_events(DAYS)
    next(steps)
    if interruption == "match":
        start_match(event.pk, box)
    else:
        make_roster(event, [Pupil("Ada", None)])
    before = set(event.tickets.all())
    list(steps)
    assert not is_anonymized(event)
    assert set(event.tickets.all()) == before


def test_anonymize_works_in_batches_and_resumes(box: BallotBox) -> None:
    event = played_event(box)
    records = TallyRecord.objects.filter(turn__match__event=event).count()
    steps = retention.anonymize_events(DAYS)
    assert next(steps).records == retention.RECORDS_PER_STEP < records
    steps.close()
    assert retention.events_to_anonymize(DAYS) == [event]
    *_, last = retention.anonymize_events(DAYS)
    assert (last.records, retention.events_to_anonymize(DAYS)) == (records - retention.RECORDS_PER_STEP, [])


@pytest.mark.parametrize("lobby", ["closed", "open"])
def test_new_roster_in_old_event_is_kept_until_old(box: BallotBox, lobby: str) -> None:
    """An open lobby alone does not keep an event."""
    unplayed, anonymized = new_event(), played_event(box)
    anonymize()
    for event in (unplayed, anonymized):
        Event.objects.filter(pk=event.pk).update(lobby=lobby)
        make_roster(event, [Pupil("Ada", None)])
        backdate_event(event, DAYS + 200, DAYS + 100 if event == anonymized else None)
        event.tickets.update(made_at=timezone.now() - timedelta(days=DAYS - 1))
    assert not anonymize()
    Ticket.objects.update(made_at=timezone.now() - timedelta(days=DAYS + 1))
    assert {event.pk for event in retention.events_to_anonymize(DAYS)} == {unplayed.pk, anonymized.pk}
    Ticket.objects.update(used_at=box.now())
    assert not anonymize()
    Ticket.objects.update(used_at=box.now() - (DAYS + 1) * DAY_MS)
    anonymize()
    assert not Ticket.objects.exists()


def test_audit_entries_and_nicknames_after_the_anonymization_are_deleted_later(box: BallotBox) -> None:
    event = played_event(box)
    anonymize()
    backdate_event(event, DAYS + 200, DAYS + 100)
    add_audit_entry(event.pk, "oscar", OPENED, box.now())
    assert not anonymize()
    assert AuditEntry.objects.exists()
    event.audit_entries.update(at=box.now() - (DAYS + 1) * DAY_MS)
    assert retention.events_to_anonymize(DAYS) == [event]
    anonymize()
    assert not AuditEntry.objects.exists()
    Nickname.objects.create(event=event, voter_code="LMNPQR", name="Heron", allowed=True, chosen_at=1)
    assert anonymize()
    assert not Nickname.objects.exists()


def test_anonymize_repeats_only_after_another_match(box: BallotBox) -> None:
    event = played_event(box)
    anonymize()
    assert not anonymize()
    backdate_event(event, 95, 90)
    assert not anonymize()
    play(start_match(event.pk, box), box, RED_WINS)
    assert retention.events_to_anonymize(DAYS) == []
    backdate_event(event, DAYS + 1)
    assert retention.events_to_anonymize(DAYS) == [event]
    anonymize()
    assert {ballot.voter for ballots in sealed_ballots(event) for ballot in ballots} == {""}


def test_scheduler_anonymizes_though_others_fail(box: BallotBox, caplog: pytest.LogCaptureFixture) -> None:
    def run_chores(scheduler: DeadlineScheduler, times: int) -> None:
        for _ in range(times):
            scheduler.chores_at = 0.0
            scheduler.run_once()

    broken, deleted, intact = (played_event(box) for _ in range(3))
    run_chores(DeadlineScheduler(box), 3)
    assert not is_anonymized(intact), "a new scheduler does not run retention at once"
    TallyRecord.objects.filter(turn__match__event=broken).update(sealed=b"[[1,")
    live = start_match(new_event().pk, box)
    scheduler = DeadlineScheduler(box, purged_at=-PURGE_EVERY_S)
    scheduler.run_once()  # the events are listed
    deleted.delete()
    run_chores(scheduler, 20)
    assert (is_anonymized(intact), intact.tickets.exists()) == (True, False)
    assert all(f"event {event.code} could not be anonymized" in caplog.text for event in (broken, deleted))
    assert broken.tickets.exists()
    assert (scheduler.is_waiting, only_turn(live).state) == (False, "open")

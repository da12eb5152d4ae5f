"""Some time after an event nothing says any more who voted for what; it can still be counted."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from games.matches import position_of
from games.models import Event, Match, Turn
from tests.voting.cups.staging import new_cup
from tests.voting.playing import RED_WINS, new_event, only_turn, play, play_turn
from voting.box.archive import store_ballots
from voting.box.ballot_box import BallotBox
from voting.counting.ballots import Ballot, unpack_ballots
from voting.cups.cups import begin_pairing
from voting.entry.roster import Pupil
from voting.entry.tickets import make_roster
from voting.match.clock import FORGET_S, Clock
from voting.match.turns import start_match
from voting.models import Announcement, Deed, Ruling, StoredBallot, TallyRecord, Ticket
from voting.organizing.deeds import Done, keep_deed
from voting.protocol import Pressed
from voting.upkeep.retention import RECORDS_AT_ONCE, events_to_forget, forget_voters

pytestmark = pytest.mark.django_db
DAYS = 30
OPENED = Done("opened the doors", Pressed(action="lobby.open"))
BLIND = "0123456789abcdef" * 2


def played(box: BallotBox, ended_days_ago: float = 31) -> Event:
    """An event whose one match ended so long ago, with everything that may be left of it."""
    event = new_event()
    match = start_match(event.pk, box)
    first = play_turn(only_turn(match), box, [1, 2, 1], [2, 3])
    play(match, box, RED_WINS[1:])
    store_ballots(first.pk, [Ballot("v1", "red", 1, 4, blind=BLIND)], box.now())
    Ticket.objects.create(event=event, code="KAREN7", label="Karen", voter="v1")
    Deed.objects.create(event=event, by="oscar", action="match.start", what="started match 1", at=1)
    Ruling.objects.create(event=event, sign="BCDFGH", kept_out=True, at=1)
    at_rest_since(event, ended_days_ago)
    return event


def at_rest_since(event: Event, days: float) -> None:
    then = timezone.now() - timedelta(days=days)
    Event.objects.filter(pk=event.pk).update(created_at=then)
    event.matches.update(ended_at=int(then.timestamp() * 1000))
    event.tickets.update(made_at=then)
    event.deeds.update(at=int(then.timestamp() * 1000))


def forget(days: int = DAYS) -> int:
    return len(list(forget_voters(days)))


def lists(event: Event) -> list[tuple[Ballot, ...]]:
    records = TallyRecord.objects.filter(turn__match__event=event).order_by("pk")
    return [unpack_ballots(bytes(record.sealed)) for record in records]


def whatever_is_stored() -> str:
    """Every row of every table."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        rows = []
        for table in tables:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
            rows += cursor.fetchall()
    return "\n".join(repr(tuple(bytes(c) if isinstance(c, memoryview) else c for c in row)) for row in rows)


def test_voters_go_and_what_they_voted_stays_in_its_order(box: BallotBox) -> None:
    event = played(box)
    before = lists(event)
    assert any(ballot.voter for ballots in before for ballot in ballots)
    forget()
    after = lists(event)
    assert {(ballot.voter, ballot.sequence) for ballots in after for ballot in ballots} == {("", 0)}
    kept = [[(b.side, b.column, b.arrival, b.blind) for b in ballots] for ballots in before]
    assert [[(b.side, b.column, b.arrival, b.blind) for b in ballots] for ballots in after] == kept


def test_nothing_anywhere_says_who_a_voter_was(box: BallotBox) -> None:
    event = played(box)
    voters = {ballot.voter for ballots in lists(event) for ballot in ballots} | {
        "Karen",
        "KAREN7",
        "v1",
        "oscar",
    }
    told = whatever_is_stored()
    assert all(voter in told for voter in voters)
    forget()
    told = whatever_is_stored()
    assert [voter for voter in voters if voter in told] == []


def test_nothing_says_who_was_captain(box: BallotBox) -> None:
    event = played(box)
    event.teams.filter(number=1).update(captain="KXWQZT")
    Turn.objects.filter(match__event=event).update(yellow_captain="BCDFGH")
    forget()
    assert [sign for sign in ("KXWQZT", "BCDFGH") if sign in whatever_is_stored()] == []


def test_a_cup_goes_on_knowing_what_was_only_rehearsed(box: BallotBox) -> None:
    event = begin_pairing(new_cup().pk, 1)
    for action in ("rehearsal.start", "rehearsal.stop", "lobby.open"):
        Deed.objects.create(event=event, by="olga", action=action, what="did it", at=1)
    at_rest_since(event, 31)
    forget()
    assert sorted(event.deeds.values_list("action", flat=True)) == ["rehearsal.start", "rehearsal.stop"]
    assert not forget()


def test_counts_and_the_record_of_the_match_stay(box: BallotBox) -> None:
    event = played(box)
    match = Match.objects.get(event=event)
    shown = ["counts", "ballots", "pick", "decided_by", "root"]
    counts = list(TallyRecord.objects.order_by("pk").values(*shown))
    board = position_of(match).state
    forget()
    assert list(TallyRecord.objects.order_by("pk").values(*shown)) == counts
    assert position_of(Match.objects.get(pk=match.pk)).state == board
    event.refresh_from_db()
    assert event.forgotten_at is not None
    assert not StoredBallot.objects.exists()
    assert not Ticket.objects.exists()
    assert not Announcement.objects.exists()
    assert not Deed.objects.exists()
    assert not Ruling.objects.exists()


def test_an_event_that_plays_or_played_of_late_is_left_alone(box: BallotBox) -> None:
    late, playing, due_to_play = played(box, DAYS - 1), played(box), played(box)
    start_match(playing.pk, box)
    Event.objects.filter(pk=due_to_play.pk).update(next_match_at=box.now() + 60_000)
    before = whatever_is_stored()
    assert not forget()
    assert whatever_is_stored() == before
    assert late.forgotten_at is None


def test_a_match_that_starts_in_the_middle_stops_it(box: BallotBox) -> None:
    event = played(box)
    steps = forget_voters(DAYS)
    next(steps)
    start_match(event.pk, box)
    list(steps)
    event.refresh_from_db()
    assert event.forgotten_at is None
    assert Ticket.objects.filter(event=event).exists()


def test_an_event_nobody_played_is_forgotten_too(box: BallotBox) -> None:
    old, young = new_event(), new_event()
    at_rest_since(old, DAYS + 1)
    Ticket.objects.create(event=old, code="KAREN7", label="Karen", voter="v1")
    Ticket.objects.create(event=young, code="KAREN7", label="Karen", voter="v1")
    at_rest_since(old, DAYS + 1)
    forget()
    assert list(Ticket.objects.values_list("event", flat=True)) == [young.pk]


@pytest.mark.parametrize("lobby", ["closed", "open"])
def test_a_new_list_in_an_old_event_is_kept_until_it_is_old_itself(box: BallotBox, lobby: str) -> None:
    """An open lobby alone keeps nothing."""
    unplayed, forgotten = new_event(), played(box)
    forget()
    for event in (unplayed, forgotten):
        Event.objects.filter(pk=event.pk).update(lobby=lobby)
        make_roster(event, [Pupil("Ada", None)])
        at_rest_since(event, DAYS + 200)
        event.tickets.update(made_at=timezone.now() - timedelta(days=DAYS - 1))
    Event.objects.filter(pk=forgotten.pk).update(forgotten_at=timezone.now() - timedelta(days=DAYS + 100))
    assert not forget()
    Ticket.objects.update(made_at=timezone.now() - timedelta(days=DAYS + 1))
    assert {event.pk for event in events_to_forget(DAYS)} == {unplayed.pk, forgotten.pk}
    Ticket.objects.update(used_at=box.now())
    assert not forget()
    Ticket.objects.update(used_at=box.now() - (DAYS + 1) * 24 * 3600 * 1000)
    forget()
    assert not Ticket.objects.exists()


def test_what_was_done_of_late_is_kept_until_it_is_old(box: BallotBox) -> None:
    event = played(box)
    forget()
    at_rest_since(event, DAYS + 200)
    Event.objects.filter(pk=event.pk).update(forgotten_at=timezone.now() - timedelta(days=DAYS + 100))
    keep_deed(event.pk, "oscar", OPENED, box.now())
    assert not forget()
    assert Deed.objects.exists()
    event.deeds.update(at=box.now() - (DAYS + 1) * 24 * 3600 * 1000)
    assert events_to_forget(DAYS) == [event]
    forget()
    assert not Deed.objects.exists()


def test_a_list_that_is_made_in_the_middle_stops_it(box: BallotBox) -> None:
    event = played(box)
    steps = forget_voters(DAYS)
    next(steps)
    made = make_roster(event, [Pupil("Ada", None)])
    list(steps)
    assert set(made) <= set(event.tickets.all())
    event.refresh_from_db()
    assert event.forgotten_at is None


def test_doing_it_again_does_nothing_until_somebody_played_again(box: BallotBox) -> None:
    event = played(box)
    forget()
    assert not forget()
    at_rest_since(event, 95)
    Event.objects.filter(pk=event.pk).update(forgotten_at=timezone.now() - timedelta(days=90))
    assert not forget()
    play(start_match(event.pk, box), box, RED_WINS)
    assert events_to_forget(DAYS) == []
    at_rest_since(event, DAYS + 1)
    assert events_to_forget(DAYS) == [event]
    forget()
    assert {ballot.voter for ballots in lists(event) for ballot in ballots} == {""}


def test_it_goes_in_steps_and_one_cut_short_is_taken_up_again(box: BallotBox) -> None:
    event = played(box)
    records = TallyRecord.objects.filter(turn__match__event=event).count()
    steps = forget_voters(DAYS)
    assert next(steps).records == RECORDS_AT_ONCE < records
    steps.close()
    assert events_to_forget(DAYS) == [event]
    *_, last = forget_voters(DAYS)
    assert last.records == records - RECORDS_AT_ONCE
    assert events_to_forget(DAYS) == []


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


def test_the_clock_does_it_by_itself(box: BallotBox) -> None:
    event = played(box)
    clock = Clock(box, forgot_at=-FORGET_S)
    for _ in range(20):
        clock.tended_at = 0.0
        clock.look()
    event.refresh_from_db()
    assert event.forgotten_at is not None
    assert not Ticket.objects.exists()


def test_an_event_that_cannot_be_forgotten_holds_up_no_other(
    box: BallotBox, caplog: pytest.LogCaptureFixture
) -> None:
    spoilt, deleted, sound = (played(box) for _ in range(3))
    TallyRecord.objects.filter(turn__match__event=spoilt).update(sealed=b"[[1,")
    live = start_match(new_event().pk, box)
    clock = Clock(box, forgot_at=-FORGET_S)
    clock.look()  # the events are listed
    deleted.delete()
    for _ in range(20):
        clock.tended_at = 0.0
        clock.look()
    sound.refresh_from_db()
    assert sound.forgotten_at is not None
    assert all(f"event {event.code} is not forgotten" in caplog.text for event in (spoilt, deleted))
    assert Ticket.objects.filter(event=spoilt).exists()
    assert not clock.waits
    assert only_turn(live).state == "open"


def test_a_clock_that_has_just_started_closes_turns_first(box: BallotBox) -> None:
    event = played(box)
    clock = Clock(box)
    for _ in range(3):
        clock.tended_at = 0.0
        clock.look()
    event.refresh_from_db()
    assert event.forgotten_at is None
    assert Ticket.objects.filter(event=event).exists()
    assert lists(event)[0][0].voter


def test_old_sessions_go(box: BallotBox) -> None:
    now = timezone.now()
    Session.objects.create(session_key="old", session_data="", expire_date=now - timedelta(days=1))
    Session.objects.create(session_key="new", session_data="", expire_date=now + timedelta(days=1))
    forget()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["new"]

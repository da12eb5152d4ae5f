"""Events that ended long ago, and helpers to anonymize and inspect them."""

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from crowdgame.events.models import AuditEntry
from crowdgame.operations.retention import anonymize_events
from games.models import Event
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, play, play_turn
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot, unpack_ballots
from voting.models import StoredRestriction, TallyRecord, Ticket
from voting.turns.turns import start_match

DAYS = 30
BLIND = "0123456789abcdef" * 2


def played_event(box: BallotBox, ended_days_ago: float = 31) -> Event:
    """An event whose only match ended that long ago, with every kind of row that may remain."""
    event = new_event()
    match = start_match(event.pk, box)
    first = play_turn(only_turn(match), box, [1, 2, 1], [2, 3])
    play(match, box, RED_WINS[1:])
    store_ballots(first.pk, [Ballot("v1", "red", 1, 4, blind=BLIND)], box.now())
    Ticket.objects.create(event=event, code="KAREN7", label="Karen", voter="v1")
    AuditEntry.objects.create(event=event, by="oscar", action="match.start", what="started match 1", at=1)
    StoredRestriction.objects.create(event=event, voter_code="BCDFGH", banned=True, at=1)
    backdate_event(event, ended_days_ago)
    return event


def backdate_event(event: Event, days: float) -> None:
    then = timezone.now() - timedelta(days=days)
    Event.objects.filter(pk=event.pk).update(created_at=then)
    event.matches.update(ended_at=int(then.timestamp() * 1000))
    event.tickets.update(made_at=then)
    event.audit_entries.update(at=int(then.timestamp() * 1000))


def anonymize(days: int = DAYS) -> int:
    return len(list(anonymize_events(days)))


def sealed_ballots(event: Event) -> list[tuple[Ballot, ...]]:
    records = TallyRecord.objects.filter(turn__match__event=event).order_by("pk")
    return [unpack_ballots(bytes(record.sealed)) for record in records]


def dump_database() -> str:
    """Every row of every table."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        rows = []
        for table in tables:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
            rows += cursor.fetchall()
    return "\n".join(repr(tuple(bytes(c) if isinstance(c, memoryview) else c for c in row)) for row in rows)

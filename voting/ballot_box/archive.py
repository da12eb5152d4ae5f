"""Write-ahead storage of ballots in long windows: they are in the database before they are acknowledged."""

from collections.abc import Sequence
from typing import cast

from django.db import connection, transaction
from django.db.models import QuerySet

from games.engine.game import Side
from voting.counting.ballots import HAND_VOTER_PREFIX, Ballot
from voting.models import StoredBallot, Turn

UPSERT_NEWEST_SQL = """
    INSERT INTO voting_storedballot AS kept (turn_id, voter, side, choice, sequence, blind, stored_at)
    VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (turn_id, voter) DO UPDATE SET
        side = excluded.side,
        choice = excluded.choice,
        sequence = excluded.sequence,
        blind = excluded.blind,
        stored_at = excluded.stored_at
    WHERE kept.sequence < excluded.sequence
"""


def store_ballots(turn_id: int, ballots: Sequence[Ballot], now: int) -> None:
    """Upsert each voter's newest ballot, by sequence. Idempotent, across gateways and in any order.

    `now` (Unix ms) is stored as the time of new ballots.
    """
    rows = [(turn_id, b.voter, b.side, b.choice, b.sequence, b.blind, now) for b in ballots]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(UPSERT_NEWEST_SQL, sorted(rows))  # by voter, so that two gateways cannot deadlock


def load_stored_ballots(turn: Turn, *, hands: bool = True) -> tuple[Ballot, ...]:
    """Return the turn's stored ballots in the order of their batches; ties are ordered by blinding factor.

    The order of the rows would reveal the voters. Without `hands`, ballots of a show of hands are left out.
    """
    rows = StoredBallot.objects.filter(turn=turn).order_by("stored_at", "blind", "pk")
    rows = rows if hands else rows.exclude(voter__startswith=HAND_VOTER_PREFIX)
    return tuple(Ballot(r.voter, cast(Side, r.side), r.choice, r.sequence, blind=r.blind) for r in rows)


def hand_ballots(turn: Turn) -> QuerySet[StoredBallot]:
    """Return the ballots of a show of hands."""
    return StoredBallot.objects.filter(turn=turn, voter__startswith=HAND_VOTER_PREFIX)

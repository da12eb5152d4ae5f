"""Ballots of long windows, in the database before they are acknowledged."""

from collections.abc import Sequence
from typing import cast

from django.db import transaction

from games.engine.game import Side
from games.models import Turn
from voting.ballots import Ballot
from voting.models import StoredBallot


def store_ballots(turn_id: int, ballots: Sequence[Ballot], now: int) -> None:
    """Keep each voter's newest ballot, whichever gateway brings it, and in whatever order."""
    with transaction.atomic():
        StoredBallot.objects.bulk_create(
            [StoredBallot(turn_id=turn_id, voter=b.voter, **_fields(b, now)) for b in ballots],
            ignore_conflicts=True,
        )
        for ballot in ballots:
            older = StoredBallot.objects.filter(
                turn_id=turn_id, voter=ballot.voter, sequence__lt=ballot.sequence
            )
            older.update(**_fields(ballot, now))


def stored_ballots(turn: Turn) -> tuple[Ballot, ...]:
    rows = StoredBallot.objects.filter(turn=turn).order_by("stored_at", "pk")
    return tuple(Ballot(r.voter, cast(Side, r.side), r.column, r.sequence) for r in rows)


def _fields(ballot: Ballot, now: int) -> dict[str, str | int]:
    return {
        "side": ballot.side,
        "column": ballot.column,
        "sequence": ballot.sequence,
        "stored_at": now,
    }

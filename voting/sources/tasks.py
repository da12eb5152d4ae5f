"""The Celery task that casts the ballots of ballot sources."""

from celery import shared_task

from voting.ballot_box.stores import STORE_ERRORS
from voting.sources.casting import CAST_SOURCE_BALLOTS, cast_due
from voting.turns.tasks import ballot_box


@shared_task(name=CAST_SOURCE_BALLOTS, throws=STORE_ERRORS)
def cast_source_ballots() -> None:
    cast_due(ballot_box())

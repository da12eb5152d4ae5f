"""The Celery task that casts conditional picks."""

from functools import cache

from celery import shared_task

from crowdgame.play.duels.plan_casting import CAST_CONDITIONAL_PICKS, cast_due
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import STORE_ERRORS

ballot_box = cache(BallotBox)


@shared_task(name=CAST_CONDITIONAL_PICKS, throws=STORE_ERRORS)
def cast_conditional_picks() -> None:
    cast_due(ballot_box())

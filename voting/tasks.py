"""What Celery's workers do: load, delegate."""

from functools import cache

from celery import shared_task

from voting import control, deadlines, turns
from voting.ballot_box import BallotBox

ballot_box = cache(BallotBox)


@shared_task(name=deadlines.CLOSE_TURN)
def close_turn(turn_id: int) -> None:
    turns.close_turn(turn_id, ballot_box())


@shared_task(name=deadlines.CLOSE_TURN_EARLY)
def close_turn_early(turn_id: int, closes_at: int) -> None:
    control.close_turn_early(turn_id, closes_at, ballot_box())

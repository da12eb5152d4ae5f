"""What Celery's workers do: load, delegate."""

from contextlib import suppress
from functools import cache
from typing import Any

from celery import shared_task
from celery.signals import worker_process_init
from redis import RedisError

from games.engine.registry import all_games
from voting.announcements import outbox as announcements
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.turns import closing, deadlines, early_close

# What the clock makes good, and says: a worker's traceback for each turn would say nothing more.
AWAY = (RedisError, OSError, *DATABASE_ERRORS)

ballot_box = cache(BallotBox)


@shared_task(name=deadlines.CLOSE_TURN, throws=AWAY)
def close_turn(turn_id: int) -> None:
    closing.close_turn(turn_id, ballot_box())


@shared_task(name=deadlines.CLOSE_TURN_EARLY, throws=AWAY)
def close_turn_early(turn_id: int, closes_at: int) -> None:
    early_close.close_turn_early(turn_id, closes_at, ballot_box())


@worker_process_init.connect
def warm_up(**_: Any) -> None:
    """The first deadline does not wait for games to be loaded and connections to be made."""
    all_games()
    announcements.relay()
    with suppress(RedisError):
        ballot_box().now()

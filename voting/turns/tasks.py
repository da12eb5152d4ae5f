"""Celery tasks that close turns, and the warm-up of a worker process."""

from contextlib import ExitStack, suppress
from functools import cache
from typing import Any

from celery import shared_task
from celery.signals import worker_process_init
from redis import RedisError
from redis.exceptions import LockError

from games.engine.registry import all_games
from voting.announcements import outbox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import STORE_ERRORS
from voting.turns import closing, deadlines, early_close

# The scheduler retries and logs these; a worker's traceback for each turn would add nothing.
ballot_box = cache(BallotBox)


@shared_task(name=deadlines.CLOSE_TURNS, throws=STORE_ERRORS)
def close_turns(*turn_ids: int) -> None:
    """Close the turns, each even if another one fails. The scheduler retries those that stay open."""
    with ExitStack() as closes:
        for turn_id in reversed(turn_ids):
            closes.callback(_close_turn, turn_id)


def _close_turn(turn_id: int) -> None:
    with suppress(LockError):  # another process is closing it
        closing.close_turn(turn_id, ballot_box())


@shared_task(name=deadlines.CLOSE_TURN_EARLY, throws=STORE_ERRORS)
def close_turn_early(turn_id: int, closes_at: int) -> None:
    """Close the turn early if `closes_at` is still its deadline (Unix ms)."""
    early_close.close_turn_early(turn_id, closes_at, ballot_box())


@worker_process_init.connect
def warm_up(**_: Any) -> None:
    """Load games and open connections, so that the first deadline does not wait for them."""
    all_games()
    outbox.relay()
    with suppress(RedisError):
        ballot_box().now()

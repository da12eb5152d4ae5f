"""Celery tasks that close turns: how to enqueue them, and what a worker does.

The database is the real queue: if a worker loses a task, the deadline scheduler closes the turn. Never
enqueue a task on an event loop: a frozen broker blocks.
"""

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

from celery import current_app, shared_task
from celery.signals import worker_process_init
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.exceptions import LockError
from redis.retry import Retry

from games.engine.registry import all_games
from voting.announcements import outbox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import STORE_ERRORS
from voting.turns import early_close
from voting.turns.closing import close_together, close_turn

log = logging.getLogger(__name__)

CLOSE_TURNS = "voting.close_turns"
CLOSE_TURN_EARLY = "voting.close_turn_early"
BROKER_TIMEOUT_S = 0.5
PING_TTL_S = 0.25
DUE_INTERVAL_S = 5.0
NO_TURN = 0

ballot_box = cache(BallotBox)


def enqueue_close(*turn_ids: int) -> None:
    """Enqueue the close of these turns. Logs a warning if the broker is unavailable."""
    send_task(CLOSE_TURNS, *turn_ids)


def enqueue_early_close(turn_id: int, closes_at: int) -> None:
    """Enqueue an early close: everyone has voted before `closes_at`, the deadline of that moment (Unix ms).

    A turn whose deadline has moved since then stays open.
    """
    moment = int(time.monotonic() / PING_TTL_S)
    send_task(CLOSE_TURN_EARLY, turn_id, closes_at, ping=partial(_ping_once_per, moment))


def send_task(task: str, *args: int, ping: Callable[[], object] | None = None) -> None:
    """Send a Celery task, or log a warning if the broker is unavailable.

    The ping comes first because Celery waits long for a frozen broker, and longer to reconnect to it.
    """
    try:
        (ping or _broker().ping)()
        current_app.send_task(task, args=args, retry=False)
    except (OperationalError, RedisError) as error:
        log.warning("could not enqueue %s%s, broker unavailable: %s", task, args, error)


@dataclass(slots=True)
class DueTask:
    """A job of the scheduler: sends `task` every `interval_s` while something `is_due`.

    A lost task is no loss, because what is due stays due.
    """

    task: str
    is_due: Callable[[], bool]
    interval_s: float = DUE_INTERVAL_S
    asked_at: float = float("-inf")

    def __call__(self) -> None:
        now = time.monotonic()
        if now - self.asked_at >= self.interval_s and self.is_due():
            self.asked_at = now
            send_task(self.task)


@lru_cache(maxsize=1)
def _ping_once_per(moment: int) -> None:
    """Ping the broker once in PING_TTL_S, however many picks arrive in it.

    Threads of a gateway may wait for the answer; the scheduler may not.
    """
    _broker().ping()


@cache
def _broker() -> Redis:
    """A client of the broker for pings only, with short timeouts and no retries."""
    patience = {"socket_timeout": BROKER_TIMEOUT_S, "socket_connect_timeout": BROKER_TIMEOUT_S}
    return Redis.from_url(settings.CELERY_BROKER_URL, retry=Retry(NoBackoff(), 0), **patience)


# The scheduler retries and logs STORE_ERRORS; a worker's traceback for each turn would add nothing.
@shared_task(name=CLOSE_TURNS, throws=STORE_ERRORS)
def close_turns(*turn_ids: int) -> None:
    """Close the turns, each even if another one fails. The scheduler retries those that stay open."""
    left = close_together(turn_ids, ballot_box()) if len(turn_ids) > 1 else turn_ids
    with ExitStack() as closes:
        for turn_id in reversed(left):
            closes.callback(_close_turn, turn_id)


def _close_turn(turn_id: int) -> None:
    with suppress(LockError):  # another process is closing it
        close_turn(turn_id, ballot_box())


@shared_task(name=CLOSE_TURN_EARLY, throws=STORE_ERRORS)
def close_turn_early(turn_id: int, closes_at: int) -> None:
    """Close the turn early if `closes_at` is still its deadline (Unix ms)."""
    early_close.close_turn_early(turn_id, closes_at, ballot_box())


@worker_process_init.connect
def warm_up(**_: Any) -> None:
    """Run once what a close runs, so that the first deadline waits for no import, connection or SQL compiler.

    It closes no turn, and sends nobody a message.
    """
    all_games()
    outbox.relay()
    outbox.warm_up()
    with suppress(RedisError):
        close_together([NO_TURN], ballot_box())

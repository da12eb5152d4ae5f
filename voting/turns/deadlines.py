"""Enqueue the Celery tasks that close turns. Never call this on an event loop: a frozen broker blocks.

The database is the real queue: if a worker loses a task, the deadline scheduler closes the turn.
"""

import logging
import time
from collections.abc import Callable
from functools import cache, lru_cache, partial

from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

CLOSE_TURNS = "voting.close_turns"
CLOSE_TURN_EARLY = "voting.close_turn_early"
BROKER_TIMEOUT_S = 0.5
PING_TTL_S = 0.25


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

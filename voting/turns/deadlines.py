"""Hand a turn whose time has come to Celery. Never call these on an event loop: a frozen broker blocks.

The database is the queue and Celery the hands: what a worker loses, the clock finds again.
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

CLOSE_TURN = "voting.close_turn"
CLOSE_TURN_EARLY = "voting.close_turn_early"
BROKER_TIMEOUT_S = 0.5
PING_TTL_S = 0.25


def enqueue_close(turn_id: int) -> None:
    send_task(f"of turn {turn_id}", CLOSE_TURN, turn_id)


def enqueue_early_close(turn_id: int, closes_at: int) -> None:
    """`closes_at` is the deadline that everybody has voted before: a window moved since stays open."""
    moment = int(time.monotonic() / PING_TTL_S)
    send_task(f"of turn {turn_id}", CLOSE_TURN_EARLY, turn_id, closes_at, ask=partial(_ping_once_per, moment))


def send_task(what: str, task: str, *args: int, ask: Callable[[], object] | None = None) -> None:
    """Celery itself would wait long for a broker that is frozen, and longer to connect to it anew."""
    try:
        (ask or _broker().ping)()
        current_app.send_task(task, args=args, retry=False)
    except (OperationalError, RedisError) as error:
        log.warning("%s %s waits, the broker is away: %s", task, what, error)


@lru_cache(maxsize=1)
def _ping_once_per(moment: int) -> None:
    """Asked once in a moment, however many pick in it: a gateway's threads may wait, the clock may not."""
    _broker().ping()


@cache
def _broker() -> Redis:
    """Only to ask whether it answers."""
    patience = {"socket_timeout": BROKER_TIMEOUT_S, "socket_connect_timeout": BROKER_TIMEOUT_S}
    return Redis.from_url(settings.CELERY_BROKER_URL, retry=Retry(NoBackoff(), 0), **patience)

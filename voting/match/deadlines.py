"""Hand a turn whose time has come to Celery. Never call these on an event loop: a frozen broker blocks.

The database is the queue and Celery the hands: what a worker loses, the clock finds again.
"""

import logging
from functools import cache

from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

CLOSE_TURN = "voting.close_turn"
CLOSE_TURN_EARLY = "voting.close_turn_early"
AT_ONCE_S = 0.5


def arm_close(turn_id: int) -> None:
    _send(CLOSE_TURN, turn_id)


def arm_early_close(turn_id: int, closes_at: int) -> None:
    """`closes_at` is the deadline that everybody has voted before: a window moved since stays open."""
    _send(CLOSE_TURN_EARLY, turn_id, closes_at)


def _send(task: str, turn_id: int, *more: int) -> None:
    """Celery itself would wait long for a broker that is frozen, and longer to connect to it anew."""
    try:
        _broker().ping()
        current_app.send_task(task, args=[turn_id, *more], retry=False)
    except (OperationalError, RedisError) as trouble:
        log.warning("%s of turn %s waits, the broker is away: %s", task, turn_id, trouble)


@cache
def _broker() -> Redis:
    """Only to ask whether it answers."""
    patience = {"socket_timeout": AT_ONCE_S, "socket_connect_timeout": AT_ONCE_S}
    return Redis.from_url(settings.CELERY_BROKER_URL, retry=Retry(NoBackoff(), 0), **patience)

"""Simulate the loss of a ballot box, or its restore from an older copy."""

from django.conf import settings
from redis import Redis

Copied = dict[bytes, bytes]


def copy_all() -> Copied:
    with Redis.from_url(settings.REDIS_URL) as redis:
        return {key: redis.dump(key) for key in redis.keys("crowdgame:*")}


def put_back(copy: Copied) -> None:
    """Replace all data by the copy, as after a failover to a stale replica or a restore from an old file."""
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.flushall()
        for key, value in copy.items():
            redis.restore(key, 0, value)


def empty() -> None:
    put_back({})


def delete(*keys: str) -> None:
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.delete(*keys)

"""Redis connections of Django's cache."""

from functools import cache
from typing import Any, Self

from redis import ConnectionPool


class SharedPool(ConnectionPool):
    """One connection pool a process. Django makes a cache for each request, which would connect again."""

    @classmethod
    @cache
    def from_url(cls, url: str, **options: Any) -> Self:
        return super().from_url(url, **options)

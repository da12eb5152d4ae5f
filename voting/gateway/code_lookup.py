"""Lookup of event codes in batches, so that guessed codes don't delay the opening of events."""

import asyncio

from voting.gateway.threads import in_database
from voting.models import Event


class CodeLookup:
    """Finds out which codes belong to an event, with at most one query at a time.

    The queries hold `lock`. Codes that arrive meanwhile share the next query.
    """

    def __init__(self, lock: asyncio.Lock) -> None:
        self._lock = lock
        self._codes: set[str] = set()
        self._query: asyncio.Task[set[str]] | None = None

    async def exists(self, code: str) -> bool:
        """Whether there is an event with this code. Raises one of DATABASE_ERRORS."""
        self._codes.add(code)
        if self._query is None:
            self._query = asyncio.create_task(self._find_codes())
        return code in await asyncio.shield(self._query)

    async def _find_codes(self) -> set[str]:
        async with self._lock:
            codes, self._codes, self._query = self._codes, set(), None
            found: set[str] = await in_database(existing_codes)(codes)
            return found


def existing_codes(codes: set[str]) -> set[str]:
    """The codes among these that belong to an event."""
    return set(Event.objects.filter(code__in=codes).values_list("code", flat=True))

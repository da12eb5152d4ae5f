"""Lookup of events by code, in batches, so that guessed codes don't delay the opening of events."""

import asyncio
import time
from typing import NamedTuple

from django.db import transaction

from voting import protocol
from voting.admission.restrictions import Restrictions, load_restrictions
from voting.announcements.snapshots import load_snapshot
from voting.gateway.threads import in_database
from voting.models import Event

MISS_TTL_S = 1.0
MAX_MISSES = 10_000


class LoadedEvent(NamedTuple):
    event_id: int
    seq: int
    state: protocol.EventState
    restrictions: Restrictions


class EventLookup:
    """Loads events by code with at most one query at a time, so that ballots find a free thread.

    Codes that arrive during a query share the next one. Unknown codes are remembered for MISS_TTL_S.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._codes: set[str] = set()
        self._query: asyncio.Task[set[str]] | None = None
        self._unknown_until: dict[str, float] = {}

    def is_unknown(self, code: str) -> bool:
        """Whether a lookup found no such code a moment ago."""
        return time.monotonic() < self._unknown_until.get(code, 0.0)

    async def load(self, code: str) -> LoadedEvent | None:
        """Load an event; None if the code is unknown. Raises GameError or one of DATABASE_ERRORS."""
        event: LoadedEvent | None = None
        if await self._exists(code):
            async with self._lock:
                event = await in_database(load_event)(code)
        if event is None:
            if len(self._unknown_until) >= MAX_MISSES:
                self._unknown_until.clear()
            self._unknown_until[code] = time.monotonic() + MISS_TTL_S
        return event

    async def _exists(self, code: str) -> bool:
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


def load_event(code: str) -> LoadedEvent | None:
    """Load an event with its restrictions in one transaction; None if the code is unknown."""
    with transaction.atomic():
        event = Event.objects.filter(code=code).first()
        if event is None:
            return None
        restrictions = load_restrictions([event.pk])[event.pk]
        return LoadedEvent(event.pk, event.seq, load_snapshot(event), restrictions)

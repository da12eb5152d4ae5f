"""Waiting lines: one for each key, first come, first served. The keys take turns."""

import asyncio
from collections import deque

from crowdgame.server.web.errors import ServerBusy

Turn = asyncio.Future[None]


class WaitingLines:
    """At most `places` in all lines together, and `places_per_key` in each."""

    def __init__(self, places: int, places_per_key: int) -> None:
        self._places = places
        self._places_per_key = places_per_key
        self._lines: dict[str, deque[Turn]] = {}

    def join(self, key: str) -> Turn:
        """Return a future that is done when it is this one's turn. Raises ServerBusy if there is no place.

        If all places are taken, the last one of a longer line gives way: its future raises ServerBusy.
        """
        own = len(self._lines.get(key, ()))
        if own >= self._places_per_key:
            raise ServerBusy
        if sum(map(len, self._lines.values())) >= self._places:
            longest = max(self._lines, key=lambda one: len(self._lines[one]))
            if len(self._lines[longest]) <= own + 1:
                raise ServerBusy
            self._lines[longest].pop().set_exception(ServerBusy())
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(key, deque()).append(turn)
        return turn

    def leave(self, key: str, turn: Turn) -> None:
        """Give up a place. Does nothing without one."""
        line = self._lines.get(key, deque())
        if turn in line:
            line.remove(turn)
            if not line:
                del self._lines[key]

    def next(self) -> Turn | None:
        """Take the first one of the next key out of its line. Returns None if nobody waits."""
        for key in self._lines:
            line = self._lines.pop(key)
            turn = line.popleft()
            if line:
                self._lines[key] = line
            return turn
        return None

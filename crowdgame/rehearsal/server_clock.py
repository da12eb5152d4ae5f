"""The server's time as the crowd estimates it (clock synchronization). All phones share one clock."""

from collections import deque
from collections.abc import Callable

KEPT = 256
STEP_MS = 2_000.0


class ServerClock:
    """The clock offset, by the reply with the shortest of the last KEPT round trips.

    `read` returns local seconds.
    """

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read
        self._samples: deque[tuple[float, float]] = deque(maxlen=KEPT)
        self._offset_ms: float | None = None

    def local_ms(self) -> float:
        return self._read() * 1000

    def now_ms(self) -> float:
        """Return ms since 1970 by the ballot box's clock. Valid after the first message only."""
        return self.at(self.local_ms())

    def at(self, local_ms: float) -> float:
        """Return ms since 1970 by the ballot box's clock at a local time."""
        return local_ms + (self._offset_ms or 0.0)

    def until(self, at_ms: float) -> float:
        """Return the seconds until a time of the server; negative if it has passed."""
        return (at_ms - self.now_ms()) / 1000

    def welcome(self, now_at: int) -> None:
        """Set a first estimate, until the first reply of `sync`. It is late by one message delay."""
        if self._offset_ms is None:
            self._offset_ms = now_at - self.local_ms()

    def sync(self, sent_ms: float, now_at: int) -> None:
        """Add a sample: the local time of the request, and the server's time in the reply (both in ms)."""
        received = self.local_ms()
        if self._was_set(sent_ms, received, now_at):
            self._samples.clear()
        self._samples.append((received - sent_ms, now_at - (sent_ms + received) / 2))
        self._offset_ms = min(self._samples)[1]

    def _was_set(self, sent_ms: float, received_ms: float, now_at: int) -> bool:
        """Whether the server's clock was stepped: the round trip does not explain the reply."""
        offset = self._offset_ms
        return offset is not None and not (
            sent_ms + offset - STEP_MS <= now_at <= received_ms + offset + STEP_MS
        )

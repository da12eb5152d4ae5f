"""A queue of deferred work, so that the crowd's own computing does not delay reading frames."""

import asyncio
from collections import deque
from collections.abc import Callable

BATCH_SIZE = 50


class Agenda:
    """Callbacks that run in batches on the event loop, in order."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def add(self, work: Callable[[], None]) -> None:
        """Queue `work`. It runs soon, after frames that have already arrived."""
        self._waiting.append(work)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._work)

    def _work(self) -> None:
        """Run one batch. The loop reads new frames before the next one."""
        try:
            for _ in range(min(BATCH_SIZE, len(self._waiting))):
                self._waiting.popleft()()
        finally:
            if self._waiting:
                asyncio.get_running_loop().call_soon(self._work)

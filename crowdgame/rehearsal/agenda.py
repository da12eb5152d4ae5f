"""What can wait until the frames that came are read: a crowd's own thinking must not delay its ears."""

import asyncio
from collections import deque
from collections.abc import Callable

BATCH_SIZE = 50


class Agenda:
    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def add(self, work: Callable[[], None]) -> None:
        self._waiting.append(work)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._work)

    def _work(self) -> None:
        """A few at a time: the loop reads what came in between."""
        try:
            for _ in range(min(BATCH_SIZE, len(self._waiting))):
                self._waiting.popleft()()
        finally:
            if self._waiting:
                asyncio.get_running_loop().call_soon(self._work)

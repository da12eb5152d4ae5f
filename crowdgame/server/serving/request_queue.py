"""Queue of new HTTP requests, so that many at once do not delay the votes."""

import asyncio
from collections import deque
from collections.abc import Callable

STARTED_AT_ONCE = 1


class RequestQueue:
    """Starts STARTED_AT_ONCE requests per iteration of the event loop, which reads WebSockets in between."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], object]] = deque()

    def add(self, start: Callable[[], object]) -> None:
        """Call `start` soon, in the order of the calls."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._start_some)
        self._waiting.append(start)

    def _start_some(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(min(STARTED_AT_ONCE, len(self._waiting))):
            loop.call_soon(self._waiting.popleft())
        if self._waiting:
            loop.call_soon(self._start_some)

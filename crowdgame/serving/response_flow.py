"""Flow control of HTTP responses under Daphne, which by itself buffers whatever the application sends."""

import asyncio
from typing import Any

from twisted import internet

reactor: Any = internet.reactor


class ResponseFlow:
    """A push producer for Twisted: whether the client of a streamed response has caught up.

    Disconnects a client that stalls for `stall_s`.
    """

    def __init__(self, transport: Any, stall_s: float) -> None:
        self._transport = transport
        self._stall_s = stall_s
        self._timer: Any = None
        self.caught_up = asyncio.Event()
        self.caught_up.set()

    def pauseProducing(self) -> None:
        self.caught_up.clear()
        self._timer = reactor.callLater(self._stall_s, self._transport.abortConnection)

    def resumeProducing(self) -> None:
        self.caught_up.set()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    stopProducing = resumeProducing

"""What is served, and how it ends: no newcomers any more, a drain, then the stop."""

import asyncio
import logging
import signal
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from crowdgame.serving.listener import close_listener

log = logging.getLogger(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT)
CLOSE_TIMEOUT_S = 2

Drain = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Service:
    """An ASGI application at a listening socket; `proxied` believes the headers that a proxy adds.

    `drain(within_s)` sends away all that are connected, so that nothing they were promised is lost.
    """

    application: Any
    listener: socket.socket
    drain: Drain
    drain_s: float
    proxied: bool = False

    def drain_on_signals(self, stop_listening: Callable[[], object], stop: Callable[[], None]) -> None:
        """From now on the first of SIGNALS ends in order, the second at once. Called on the event loop."""
        loop = asyncio.get_running_loop()
        kept = self.listener.dup()  # servers close theirs, and with it the way to shut it down for all

        def begin() -> None:
            log.info("gateway draining: its phones move to others")
            for number in SIGNALS:
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_DFL)
            stop_listening()
            close_listener(kept)
            ending = loop.create_task(self._drain())
            ending.add_done_callback(lambda _: end())

        def end() -> None:
            log.info("gateway ended")
            stop()

        for number in SIGNALS:
            loop.add_signal_handler(number, begin)
        log.info("gateway up")

    async def _drain(self) -> None:
        try:
            async with asyncio.timeout(self.drain_s + CLOSE_TIMEOUT_S):
                await self.drain(self.drain_s)
        except TimeoutError:
            log.warning("not all were sent away within %g s", self.drain_s)

"""A gateway's service and its graceful shutdown: stop listening, drain the connections, stop."""

import asyncio
import logging
import re
import signal
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from crowdgame.server.config.open_files import max_connections
from crowdgame.server.serving.listener import close_listener
from crowdgame.server.serving.proxy_headers import ProxyHeaders
from crowdgame.server.serving.request_limits import BODY_TIMEOUT_S, HEAD_TIMEOUT_S, NOTHING, BodyLimits

log = logging.getLogger(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT)
CLOSE_TIMEOUT_S = 2
STALL_S = 20

Drain = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Service:
    """An ASGI application on a listening socket.

    `drain(within_s)` closes all connections within that many seconds, without losing acknowledged ballots.
    `drain_s` is that limit. `proxies` is the number of reverse proxies in front, whose X-Forwarded-For
    and -Proto headers are trusted. Only paths that match `upload_paths` accept large bodies.
    `head_timeout_s` and `body_timeout_s` limit the time that a client takes to send a request.
    A client that reads nothing of a response for `stall_s` is disconnected.
    """

    application: Any
    listener: socket.socket
    drain: Drain
    drain_s: float
    proxies: int = 0
    upload_paths: re.Pattern[bytes] = NOTHING
    head_timeout_s: float = HEAD_TIMEOUT_S
    body_timeout_s: float = BODY_TIMEOUT_S
    stall_s: float = STALL_S

    @property
    def asgi_application(self) -> Any:
        """The application as the server calls it."""
        return ProxyHeaders(self.application, self.proxies) if self.proxies else self.application

    def body_limits(self) -> BodyLimits:
        return BodyLimits(self.proxies, self.upload_paths)

    async def drained(self, stop_listening: Callable[[], object]) -> None:
        """Wait for the first of SIGNALS, then stop listening and drain. Another one kills the process."""
        loop, begun = asyncio.get_running_loop(), asyncio.Event()
        kept = self.listener.dup()  # the server closes its own, but shutting down needs an open one

        def begin() -> None:
            log.info("gateway draining: clients reconnect to other gateways")
            for number in SIGNALS:
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_DFL)
            stop_listening()
            close_listener(kept)
            begun.set()

        for number in SIGNALS:
            loop.add_signal_handler(number, begin)
        log.info("gateway started, capacity: %d connections", max_connections())
        await begun.wait()
        try:
            async with asyncio.timeout(self.drain_s + CLOSE_TIMEOUT_S):
                await self.drain(self.drain_s)
        except TimeoutError:
            log.warning("drain timed out after %g s, some sockets are still open", self.drain_s)
        log.info("gateway stopped")

"""The front of a gateway: accepts connections, owns WebSockets, and hands HTTP requests to a server.

It uses asyncio's public interfaces only. A server contributes a protocol for each HTTP connection.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from crowdgame.server.serving.connection import Connection
from crowdgame.server.serving.listener import BACKLOG
from crowdgame.server.serving.request_queue import RequestQueue
from crowdgame.server.serving.service import CLOSE_TIMEOUT_S, Service
from crowdgame.server.serving.websocket import WebSocket

ACCEPTED_AT_ONCE = 8  # connections in each iteration of the event loop, which reads WebSockets in between
POLL_S = 0.05


class Front:
    """`make_http` returns an asyncio protocol that serves HTTP, `detach_http` takes one off its transport."""

    def __init__(
        self, service: Service, make_http: Callable[[], Any], detach_http: Callable[[Any], object]
    ) -> None:
        self.service, self.make_http, self.detach_http = service, make_http, detach_http
        self.body_limits = service.body_limits()
        # The server's own timeout of idle connections: longer than a client may take for its next request.
        self.keep_alive_s = 2 * service.head_timeout_s + service.body_timeout_s + 1
        self.connections: dict[tuple[str, int], Connection] = {}
        self.sockets: set[WebSocket] = set()
        self.queue = RequestQueue()

    async def serve(self) -> None:
        """Serve until a signal has drained the connections."""
        loop, listener = asyncio.get_running_loop(), self.service.listener
        server = await loop.create_server(partial(Connection, self), sock=listener, backlog=ACCEPTED_AT_ONCE)
        listener.listen(BACKLOG)
        await self.service.drained(server.close)
        await self._close()

    async def _close(self) -> None:
        """Abort the remaining WebSockets. Requests that are being answered get a little time."""
        for socket in tuple(self.sockets):
            socket.abort()
        latest = time.monotonic() + CLOSE_TIMEOUT_S
        while self.connections and time.monotonic() < latest:
            for connection in tuple(self.connections.values()):
                connection.close_idle()
            await asyncio.sleep(POLL_S)

    async def http_application(self, scope: Any, receive: Any, send: Any) -> None:
        """The application for HTTP. A streamed response waits until its client has read most of it."""
        connection = self.connections.get(tuple(scope["client"] or ()))
        if connection is None:  # it is gone meanwhile
            await self.service.asgi_application(scope, receive, send)
            return

        async def send_and_wait(message: Any) -> None:
            await send(message)
            if message.get("more_body"):
                await connection.catch_up()

        try:
            await self.service.asgi_application(scope, receive, send_and_wait)
        finally:
            connection.finish_request()

"""An application behind the queue of requests, and its clients."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from crowdgame.accounts.known_devices import find_known_user
from crowdgame.server.web.page_queue import queue_requests

LOGINS = 60
LOGIN, PAGE = "POST /console/login/", "POST /play/"


class Site:
    """An application behind the queue. `served` are the clients that it has served, in order."""

    def __init__(self, request: str = LOGIN) -> None:
        self.request = request
        self.served: list[str] = []
        self.statuses: Counter[int] = Counter()
        self.active = self.most_active = 0
        self.may_respond = asyncio.Event()
        self.may_respond.set()
        self.queue = queue_requests(self._respond, find_known_user)

    async def _respond(self, scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["body"] == b"a form"
        self.active += 1
        self.most_active = max(self.active, self.most_active)
        await asyncio.sleep(0.01)
        await self.may_respond.wait()
        self.active -= 1
        self.served.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 302, "headers": []})

    async def log_in(self, address: str, cookie: str = "", leaves: bool = False, request: str = "") -> int:
        """Return the response's status, 0 without one. With `leaves`, the client disconnects at once."""
        statuses = [0]
        messages = [{"type": "http.request", "body": b"a form"}]

        async def receive() -> Any:
            if not messages and not leaves:
                await asyncio.Event().wait()
            return messages.pop() if messages else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        headers = [(b"cookie", cookie.encode())]
        method, path = (request or self.request).split()
        scope = {"method": method, "path": path, "client": [address, 1], "headers": headers}
        await self.queue(scope, receive, send)
        self.statuses[statuses[-1]] += 1
        return statuses[-1]

    def flood(self, addresses: str, logins: int = LOGINS, cookie: str = "") -> list[asyncio.Task[int]]:
        clients = [addresses.format(number % 250) for number in range(logins)]
        return [asyncio.create_task(self.log_in(client, cookie)) for client in clients]


def staying() -> Callable[[], Awaitable[Any]]:
    """The `receive` of a client that sends a request and stays."""
    messages = [{"type": "http.request", "body": b""}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    return receive

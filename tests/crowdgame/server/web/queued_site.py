"""An application behind the queue of requests, and its clients."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from crowdgame.accounts.known_devices import find_known_user
from crowdgame.server.web.page_queue import queue_requests

LOGINS = 60
LOGIN, PAGE = "POST /console/login/", "POST /play/"
ATTACKER, ELSEWHERE = "198.51.100.{}", "203.0.113.{}"


class Site:
    """`served` are the clients that the application has served, in order."""

    def __init__(self, request: str = LOGIN) -> None:
        self.request = request
        self.served: list[str] = []
        self.statuses: Counter[int] = Counter()
        self.active = self.most_active = 0
        self.may_respond = asyncio.Event()
        self.may_respond.set()
        self.queue = queue_requests(self.respond, find_known_user)

    async def respond(self, scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["body"] == b"a form"
        self.active += 1
        self.most_active = max(self.active, self.most_active)
        await asyncio.sleep(0.01)
        await self.may_respond.wait()
        self.active -= 1
        self.served.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 302, "headers": []})

    async def visit(self, address: str, cookie: str = "", leaves: bool = False, request: str = "") -> int:
        """Return the response's status, 0 without one. With `leaves`, the client disconnects at once."""
        statuses = [0]

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = request_scope(request or self.request, address, (b"cookie", cookie.encode()))
        await self.queue(scope, sent_form(leaves=leaves), send)
        self.statuses[statuses[-1]] += 1
        return statuses[-1]

    def flood(self, addresses: str, requests: int = LOGINS, cookie: str = "") -> list[asyncio.Task[int]]:
        clients = [addresses.format(number % 250) for number in range(requests)]
        return [asyncio.create_task(self.visit(client, cookie)) for client in clients]


def request_scope(request: str, address: str, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    method, path = request.split()
    return {"method": method, "path": path, "client": [address, 1], "headers": headers}


def sent_form(*, leaves: bool = False) -> Callable[[], Awaitable[Any]]:
    """The `receive` of a client that sends a form, then stays connected or `leaves`."""
    messages: list[Any] = [
        *[{"type": "http.disconnect"}] * leaves,
        {"type": "http.request", "body": b"a form"},
    ]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    return receive

import asyncio
import gc
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path

from crowdgame.accounts.known_devices import find_known_user
from crowdgame.server.web import page_queue, request_turns
from crowdgame.server.web.page_queue import MAX_PAGES, MAX_SLOW_PAGES, queue_requests
from crowdgame.server.web.request_turns import RequestTurns
from crowdgame.server.web.waiting_lines import WaitingLines
from tests.monitoring.probes import own_refusals

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
    disconnects = [{"type": "http.disconnect"}] * leaves
    messages: list[Any] = [*disconnects, {"type": "http.request", "body": b"a form"}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    return receive


async def test_few_pages_render_at_once_and_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "REFUSAL_DELAY_S", 0)
    monkeypatch.setattr(page_queue, "PAGE_PLACES", 5)
    site, before = Site(PAGE), own_refusals("page")
    await asyncio.gather(*site.flood(ATTACKER, MAX_PAGES + 7))
    assert site.statuses == {302: MAX_PAGES + 5, 503: 2}
    assert (site.most_active, own_refusals("page")) == (MAX_PAGES, before + 2)


async def test_slow_page_does_not_block_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only MAX_SLOW_PAGES slow ones pass their turns on; when one ends, the next may."""
    monkeypatch.setattr(request_turns, "SLOW_S", 0.01)
    site = Site(PAGE)
    for _ in range(2):
        site.may_respond.clear()
        flood = site.flood(ATTACKER, 10 * MAX_PAGES)
        await asyncio.sleep(0.1)
        assert site.active == MAX_PAGES + MAX_SLOW_PAGES
        site.may_respond.set()
        assert list(await asyncio.gather(*flood)) == [302] * 10 * MAX_PAGES
        assert site.most_active == MAX_PAGES + MAX_SLOW_PAGES


async def test_slow_client_keeps_no_turn() -> None:
    received, stalled = [0], asyncio.Event()

    async def respond(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a long one"})

    async def send(message: Any) -> None:
        received[0] += message["type"] == "http.response.start"
        await stalled.wait()

    queue, scope = queue_requests(respond, find_known_user), request_scope(PAGE, ELSEWHERE)
    visits = asyncio.gather(*(queue(scope, sent_form(), send) for _ in range(10 * MAX_PAGES)))
    await asyncio.sleep(0.05)
    assert received == [10 * MAX_PAGES]
    stalled.set()
    await visits


async def test_server_that_gives_up_a_request_frees_its_turn_only_at_the_end() -> None:
    """Its thread goes on, so another one beside it would be one too many."""
    site = Site(PAGE)
    site.may_respond.clear()
    given_up = site.flood(ATTACKER, MAX_PAGES)
    await asyncio.sleep(0.02)
    for request in given_up:
        request.cancel()
    later = site.flood(ELSEWHERE, MAX_PAGES)
    await asyncio.sleep(0.02)
    assert site.active == MAX_PAGES
    site.may_respond.set()
    assert list(await asyncio.gather(*later)) == [302] * MAX_PAGES
    assert (site.most_active, len(site.served)) == (MAX_PAGES, 2 * MAX_PAGES)


begun, may_end = threading.Event(), threading.Event()


def slow_page(request: HttpRequest) -> HttpResponse:
    begun.set()
    assert may_end.wait(20)
    return HttpResponse()


urlpatterns = [path("slow", slow_page)]


@pytest.mark.urls(__name__)
async def test_server_that_gives_up_a_page_logs_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async def send(message: Any) -> None:
        """Servers ignore what is sent to a client that has gone."""

    scope = request_scope("GET /slow", ELSEWHERE) | {"type": "http", "query_string": b""}
    scope |= {"server": ["testserver", 80]}
    queue = queue_requests(ASGIHandler(), find_known_user)
    page = asyncio.ensure_future(queue(scope, sent_form(leaves=True), send))
    assert await asyncio.to_thread(begun.wait, 20)
    page.cancel()
    may_end.set()
    await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


async def test_turn_of_a_request_that_is_cancelled_passes_on() -> None:
    turns = RequestTurns(find_known_user, 1, WaitingLines(2, 2), WaitingLines(2, 2))
    scope, gone = request_scope(PAGE, "192.0.2.1"), asyncio.get_running_loop().create_future()
    assert await turns._wait(scope, gone)
    first, second = (asyncio.create_task(turns._wait(scope, gone)) for _ in range(2))
    await asyncio.sleep(0)
    turns.release()
    first.cancel()
    assert await asyncio.wait_for(second, 5)

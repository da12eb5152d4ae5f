"""The queue of logins ahead of Django: who waits, who goes first, and who is refused."""

import asyncio
import gc
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler
from django.core.signing import TimestampSigner
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from django.utils.translation import get_language

from crowdgame.accounts import request_turns
from crowdgame.accounts.known_devices import COOKIE, SALT, find_known_user
from crowdgame.accounts.login_queue import (
    MAX_ACTIVE,
    MAX_PAGES,
    MAX_SLOW_PAGES,
    PLACES,
    PLACES_PER_NETWORK,
    queue_logins,
    queue_pages,
)
from crowdgame.accounts.request_turns import RequestTurns
from crowdgame.accounts.waiting_lines import WaitingLines
from tests.voting.match_helpers import organizer

ATTACKER, ELSEWHERE = "198.51.100.{}", "203.0.113.{}"
LOGINS = 60
TIMEOUT_S = 20
PASSWORD = "the right password"


def queue_only_logins(app: Any) -> Any:
    return queue_logins(app, app)


class Site:
    """An application behind the queue. `served` are the clients that have logged in, in order."""

    def __init__(self, queue: Callable[[Any], Any] = queue_only_logins) -> None:
        self.served: list[str] = []
        self.statuses: Counter[int] = Counter()
        self.active = self.most_active = 0
        self.may_respond = asyncio.Event()
        self.may_respond.set()
        self.queue = queue(self._respond)

    async def _respond(self, scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["body"] == b"a form"
        self.active += 1
        self.most_active = max(self.active, self.most_active)
        await asyncio.sleep(0.01)
        await self.may_respond.wait()
        self.active -= 1
        self.served.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 302, "headers": []})

    async def log_in(
        self, address: str, cookie: str = "", leaves: bool = False, path: str = "/console/login/"
    ) -> int:
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
        scope = {"method": "POST", "path": path, "client": [address, 1], "headers": headers}
        await self.queue(scope, receive, send)
        self.statuses[statuses[-1]] += 1
        return statuses[-1]

    def flood(self, addresses: str, logins: int = LOGINS) -> list[asyncio.Task[int]]:
        return [asyncio.create_task(self.log_in(addresses.format(number % 250))) for number in range(logins)]


def staying() -> Callable[[], Awaitable[Any]]:
    """The `receive` of a client that sends a request and stays."""
    messages = [{"type": "http.request", "body": b""}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    return receive


def known_cookie(user_id: int = 1) -> str:
    return f"{COOKIE}={TimestampSigner(salt=SALT).sign(str(user_id))}"


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "REFUSAL_DELAY_S", 0)


def test_flood_of_one_network_is_refused_beyond_its_places() -> None:
    async def attack() -> None:
        site = Site()
        await asyncio.gather(*site.flood(ATTACKER))
        admitted = MAX_ACTIVE + PLACES_PER_NETWORK
        assert site.statuses == {302: admitted, 503: LOGINS - admitted}
        assert site.most_active == MAX_ACTIVE
        assert await site.log_in(ATTACKER.format(1)) == 302

    asyncio.run(attack())


def test_login_that_waits_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def attack() -> None:
        site = Site()
        monkeypatch.setattr(request_turns, "MAX_WAIT_S", 0.001)
        site.may_respond.clear()
        *admitted, waiting = site.flood(ATTACKER, MAX_ACTIVE + 1)
        assert await waiting == 503
        site.may_respond.set()
        assert list(await asyncio.gather(*admitted)) == [302] * MAX_ACTIVE
        monkeypatch.undo()
        assert list(await asyncio.gather(*site.flood(ATTACKER, MAX_ACTIVE + 1))) == [302] * (MAX_ACTIVE + 1)

    asyncio.run(attack())


def test_known_devices_go_first_and_networks_take_turns() -> None:
    async def attack() -> None:
        site = Site()
        flood = site.flood(ATTACKER)
        await asyncio.sleep(0)
        elsewhere = asyncio.create_task(site.log_in(ELSEWHERE.format(1)))
        known = asyncio.create_task(site.log_in(ATTACKER.format(251), known_cookie()))
        assert list(await asyncio.gather(elsewhere, known)) == [302, 302]
        assert site.served.index(ATTACKER.format(251)) <= MAX_ACTIVE
        assert site.served.index(ELSEWHERE.format(1)) <= MAX_ACTIVE + 2
        await asyncio.gather(*flood)

    asyncio.run(attack())


def test_many_networks_leave_a_place_for_another() -> None:
    async def attack() -> None:
        site = Site()
        floods = [one for number in range(8) for one in site.flood(f"10.0.{number}.{{}}", PLACES_PER_NETWORK)]
        await asyncio.sleep(0.001)
        assert await site.log_in(ELSEWHERE.format(1)) == 302
        await asyncio.gather(*floods)
        assert site.statuses[302] == MAX_ACTIVE + PLACES  # for it, the last of a long line gave way
        assert site.most_active == MAX_ACTIVE

    asyncio.run(attack())


def test_clients_that_leave_free_their_places() -> None:
    async def attack() -> None:
        site = Site()
        leaving = [site.log_in(ATTACKER.format(number), leaves=True) for number in range(LOGINS)]
        staying = asyncio.gather(*site.flood(ATTACKER, PLACES_PER_NETWORK))
        cancelled = asyncio.create_task(site.log_in(ATTACKER.format(1)))
        await asyncio.gather(*leaving)
        cancelled.cancel()
        assert await staying == [302] * PLACES_PER_NETWORK
        assert site.active == 0

    asyncio.run(attack())


def test_pages_are_rendered_a_few_at_a_time() -> None:
    async def visit() -> None:
        site = Site(queue_pages)
        assert list(await asyncio.gather(*site.flood(ATTACKER, 10 * MAX_PAGES))) == [302] * 10 * MAX_PAGES
        assert site.most_active == MAX_PAGES

    asyncio.run(visit())


def test_slow_page_does_not_block_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only MAX_SLOW_PAGES slow ones pass their turns on; when one ends, the next may."""
    monkeypatch.setattr(request_turns, "SLOW_S", 0.01)

    async def visit() -> None:
        site = Site(queue_pages)
        site.may_respond.clear()
        flood = site.flood(ATTACKER, 10 * MAX_PAGES)
        await asyncio.sleep(0.1)
        assert site.active == MAX_PAGES + MAX_SLOW_PAGES
        site.may_respond.set()
        assert list(await asyncio.gather(*flood)) == [302] * 10 * MAX_PAGES
        assert site.most_active == MAX_PAGES + MAX_SLOW_PAGES
        site.may_respond.clear()
        flood = site.flood(ATTACKER, 10 * MAX_PAGES)
        await asyncio.sleep(0.1)
        assert site.active == MAX_PAGES + MAX_SLOW_PAGES
        site.may_respond.set()
        await asyncio.gather(*flood)

    asyncio.run(visit())


def test_logins_take_no_turns_of_pages() -> None:
    async def attack() -> None:
        site = Site(lambda app: queue_logins(app, queue_pages(app)))
        site.may_respond.clear()
        flood = site.flood(ATTACKER)
        await asyncio.sleep(0.02)
        assert site.active == MAX_ACTIVE
        visits = [asyncio.create_task(site.log_in(ELSEWHERE.format(1), path="/play/")) for _ in range(4)]
        await asyncio.sleep(0.02)
        assert site.active == MAX_ACTIVE + MAX_PAGES
        site.may_respond.set()
        await asyncio.gather(*flood, *visits)

    asyncio.run(attack())


def test_refusal_is_in_language_of_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "MAX_WAIT_S", 0.001)
    monkeypatch.setattr(request_turns, "render_to_string", lambda *_: str(get_language()))
    monkeypatch.setattr(request_turns, "_busy_response", request_turns._busy_response.__wrapped__)
    turns = RequestTurns(0, WaitingLines(1, 1), WaitingLines(1, 1))

    async def visit(headers: list[tuple[bytes, bytes]]) -> bytes:
        parts = []
        requests = [{"type": "http.request", "body": b""}]

        async def receive() -> Any:
            return requests.pop() if requests else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            parts.append(message.get("body", b""))

        scope = {"method": "GET", "path": "/play/", "client": ["192.0.2.1", 1], "headers": headers}
        await turns.serve(Site()._respond, scope, receive, send)
        return b"".join(parts)

    assert asyncio.run(visit([(b"accept-language", b"it, de;q=0.5")])) == b"de"
    assert asyncio.run(visit([(b"accept-language", b"fr")])) == b"fr"
    assert asyncio.run(visit([(b"accept-language", b"fr"), (b"cookie", b"language=ar")])) == b"ar"


def test_slow_client_keeps_no_turn() -> None:
    """A response that has begun does not count, however long the client takes to receive it."""

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a long one"})

    async def visit() -> None:
        received, stalled = [0], asyncio.Event()

        async def send(message: Any) -> None:
            received[0] += message["type"] == "http.response.start"
            await stalled.wait()

        queue = queue_pages(slow)
        scope = {"method": "GET", "path": "/play/", "client": [ATTACKER.format(1), 1], "headers": []}
        visits = asyncio.gather(*(queue(scope, staying(), send) for _ in range(10 * MAX_PAGES)))
        await asyncio.sleep(0.05)
        assert received == [10 * MAX_PAGES]
        stalled.set()
        await visits

    asyncio.run(visit())


def test_server_that_gives_up_a_request_frees_its_turn_only_at_the_end() -> None:
    """Its thread goes on, so another one beside it would be one too many."""

    async def visit() -> None:
        site = Site(queue_pages)
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

    asyncio.run(visit())


begun, may_end = threading.Event(), threading.Event()


def slow_page(request: HttpRequest) -> HttpResponse:
    begun.set()
    assert may_end.wait(TIMEOUT_S)
    return HttpResponse()


urlpatterns = [path("slow", slow_page)]


@pytest.mark.urls(__name__)
def test_server_that_gives_up_a_page_logs_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async def visit() -> None:
        requests = [{"type": "http.disconnect"}, {"type": "http.request", "body": b""}]

        async def receive() -> Any:
            return requests.pop()

        async def send(message: Any) -> None:
            """Servers ignore what is sent to a client that has gone."""

        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": "/slow", "query_string": b""}
        scope |= {"headers": [], "client": [ATTACKER.format(1), 1], "server": ["testserver", 80]}
        page = asyncio.ensure_future(queue_pages(ASGIHandler())(scope, receive, send))
        assert await asyncio.to_thread(begun.wait, TIMEOUT_S)
        page.cancel()
        may_end.set()
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        gc.collect()

    asyncio.run(visit())
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


@pytest.mark.django_db
@pytest.mark.usefixtures("box")
def test_only_a_login_marks_a_known_device() -> None:
    client, user = Client(), organizer("ada")
    user.set_password(PASSWORD)
    user.save()
    for password, is_known in (("wrong", False), (PASSWORD, True)):
        client.post("/console/login/", {"login": "ada", "password": password})
        assert (COOKIE in client.cookies) is is_known
    cookie = f"{COOKIE}={client.cookies[COOKIE].value}"
    assert client.cookies[COOKIE]["httponly"]
    for forged in ("", f"{COOKIE}=1", f"{COOKIE}=1:1:x", f"{cookie}x", cookie.replace("=", "=1")):
        assert find_known_user({"headers": [(b"cookie", forged.encode())]}) == ""
    assert find_known_user({"headers": [(b"cookie", cookie.encode())]}) == str(user.pk)

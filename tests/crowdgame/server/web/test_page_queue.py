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
from django.urls import path, reverse

from crowdgame.accounts.known_devices import COOKIE, SALT, find_known_user
from crowdgame.server.web import page_queue, request_turns
from crowdgame.server.web.errors import ServerBusy
from crowdgame.server.web.page_queue import MAX_ACTIVE, MAX_DOCUMENTS, MAX_PAGES, queue_requests
from crowdgame.server.web.request_turns import RequestTurns
from crowdgame.server.web.waiting_lines import WaitingLines
from tests.monitoring.probes import own_refusals
from voting.metrics.metrics import RefusalKind

LOGINS = 60
LOGIN, PAGE, DOCUMENT = "POST /console/login/", "POST /play/", "GET /console/BCDF/tickets.pdf"
ATTACKER, ELSEWHERE = "198.51.100.{}", "203.0.113.{}"
begun, may_end = threading.Event(), threading.Event()


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "REFUSAL_DELAY_S", 0)


def known_cookie(user_id: int = 1) -> str:
    return f"{COOKIE}={TimestampSigner(salt=SALT).sign(str(user_id))}"


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


@pytest.mark.parametrize(
    ("request_line", "most", "kind"), [(LOGIN, MAX_ACTIVE, "login"), (DOCUMENT, MAX_DOCUMENTS, "document")]
)
@pytest.mark.parametrize("own_places", [0, page_queue.PLACES_PER_ORGANIZER])
async def test_flood_is_refused_beyond_the_places_of_its_network_and_organizer(
    request_line: str, most: int, kind: RefusalKind, own_places: int
) -> None:
    before, site = own_refusals(kind), Site(request_line)
    await asyncio.gather(*site.flood(ATTACKER, cookie=known_cookie() if own_places else ""))
    admitted = most + page_queue.PLACES_PER_NETWORK + own_places
    assert site.statuses == {302: admitted, 503: LOGINS - admitted}
    assert own_refusals(kind) - before == LOGINS - admitted
    assert site.most_active == most
    assert await site.visit(ATTACKER.format(1)) == 302


async def test_login_that_waits_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()
    monkeypatch.setattr(request_turns, "MAX_WAIT_S", 0.001)
    site.may_respond.clear()
    *admitted, waiting = site.flood(ATTACKER, MAX_ACTIVE + 1)
    assert await waiting == 503
    site.may_respond.set()
    assert list(await asyncio.gather(*admitted)) == [302] * MAX_ACTIVE
    monkeypatch.undo()
    assert list(await asyncio.gather(*site.flood(ATTACKER, MAX_ACTIVE + 1))) == [302] * (MAX_ACTIVE + 1)


async def test_known_devices_and_networks_take_turns() -> None:
    site = Site()
    flood = site.flood(ATTACKER)
    await asyncio.sleep(0)
    elsewhere, known = site.visit(ELSEWHERE.format(1)), site.visit(ATTACKER.format(251), known_cookie())
    assert list(await asyncio.gather(elsewhere, known)) == [302, 302]
    assert site.served.index(ATTACKER.format(251)) <= MAX_ACTIVE + 1
    assert site.served.index(ELSEWHERE.format(1)) <= MAX_ACTIVE + 2
    await asyncio.gather(*flood)


async def test_many_networks_leave_a_place_for_another_unless_each_has_one() -> None:
    site = Site()
    networks = (f"10.0.{number}.{{}}" for number in range(8))
    floods = [one for network in networks for one in site.flood(network, page_queue.PLACES_PER_NETWORK)]
    await asyncio.sleep(0.001)
    assert await site.visit(ELSEWHERE.format(1)) == 302
    await asyncio.gather(*floods)
    assert site.statuses[302] == MAX_ACTIVE + page_queue.PLACES  # for it, the last of a long line gave way
    assert site.most_active == MAX_ACTIVE
    lines = WaitingLines(2, 2)
    waiting = [lines.join(network) for network in ("one", "two")]
    with pytest.raises(ServerBusy):
        lines.join("three")
    assert not any(turn.done() for turn in waiting)


async def test_clients_that_leave_free_their_places() -> None:
    site = Site()
    leaving = [site.visit(ATTACKER.format(number), leaves=True) for number in range(LOGINS)]
    staying = asyncio.gather(*site.flood(ATTACKER, page_queue.PLACES_PER_NETWORK))
    cancelled = asyncio.create_task(site.visit(ATTACKER.format(1)))
    await asyncio.gather(*leaving)
    cancelled.cancel()
    assert await staying == [302] * page_queue.PLACES_PER_NETWORK
    assert site.active == 0


@pytest.mark.parametrize("request_line", [LOGIN, PAGE, DOCUMENT])
@pytest.mark.parametrize("organizers", [1, 10])
async def test_known_devices_take_every_second_turn(organizers: int, request_line: str) -> None:
    site = Site(request_line)
    cookies = [known_cookie(number % organizers) for number in range(20)]
    flood = [asyncio.create_task(site.visit(ATTACKER.format(1), cookie)) for cookie in cookies]
    await asyncio.sleep(0)
    others = [asyncio.create_task(site.visit(ELSEWHERE.format(number))) for number in range(4)]
    assert list(await asyncio.gather(*others, *flood)) == [302] * 24
    assert site.served.index(ELSEWHERE.format(3)) <= MAX_ACTIVE + 3 * len(others)


@pytest.mark.parametrize(("flood_line", "most"), [(LOGIN, MAX_ACTIVE), (DOCUMENT, MAX_DOCUMENTS)])
@pytest.mark.parametrize("request_line", [PAGE, "GET /console/login/"])
async def test_logins_and_documents_delay_no_pages(request_line: str, flood_line: str, most: int) -> None:
    site = Site(flood_line)
    site.may_respond.clear()
    flood = site.flood(ATTACKER)
    await asyncio.sleep(0.02)
    assert site.active == most
    visits = [asyncio.create_task(site.visit(ELSEWHERE.format(1), request=request_line)) for _ in range(4)]
    await asyncio.sleep(0.02)
    assert site.active == most + MAX_PAGES
    site.may_respond.set()
    await asyncio.gather(*flood, *visits)


def test_documents_are_pages_that_take_seconds() -> None:
    for name in ("tickets_pdf", "poster", "tickets_csv", "study", "branding", "event_report"):
        assert page_queue.DOCUMENT_PATHS.fullmatch(reverse(f"console:{name}", args=["BCDF"]))
    assert not page_queue.DOCUMENT_PATHS.fullmatch(reverse("console:tickets", args=["BCDF"]))


@pytest.mark.parametrize(("cookie", "language"), [(b"", b"de"), (b"language=ar", b"ar")])
async def test_refusal_is_translated(cookie: bytes, language: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "MAX_WAIT_S", 0.001)
    turns, parts = RequestTurns(find_known_user, 0, WaitingLines(1, 1), WaitingLines(1, 1)), []

    async def send(message: Any) -> None:
        parts.append(message.get("body", b""))

    scope = request_scope(PAGE, "192.0.2.1", (b"accept-language", b"it, de;q=0.5"), (b"cookie", cookie))
    await turns.serve(Site().respond, scope, sent_form(), send)
    assert b'<html lang="%b"' % language in b"".join(parts)


async def test_few_pages_render_at_once_and_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
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
        assert site.active == MAX_PAGES + page_queue.MAX_SLOW_PAGES
        site.may_respond.set()
        assert list(await asyncio.gather(*flood)) == [302] * 10 * MAX_PAGES
        assert site.most_active == MAX_PAGES + page_queue.MAX_SLOW_PAGES


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


def slow_page(request: HttpRequest) -> HttpResponse:
    begun.set()
    assert may_end.wait(20)
    return HttpResponse()


urlpatterns = [path("slow", slow_page)]


@pytest.mark.urls(__name__)
async def test_server_that_gives_up_a_page_logs_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async def send(message: Any) -> None:
        pass  # servers ignore what is sent to a client that has gone

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

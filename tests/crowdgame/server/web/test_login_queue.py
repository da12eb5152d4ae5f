import asyncio
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.signing import TimestampSigner
from django.test import Client
from django.urls import reverse

from crowdgame.accounts.known_devices import COOKIE, COOKIE_MAX_AGE_S, SALT, find_known_user
from crowdgame.server.web import request_turns
from crowdgame.server.web.errors import ServerBusy
from crowdgame.server.web.page_queue import (
    DOCUMENT_PATHS,
    MAX_ACTIVE,
    MAX_DOCUMENTS,
    MAX_PAGES,
    PLACES,
    PLACES_PER_NETWORK,
    PLACES_PER_ORGANIZER,
)
from crowdgame.server.web.request_turns import RequestTurns
from crowdgame.server.web.waiting_lines import WaitingLines
from tests.crowdgame.server.web.test_page_queue import (
    ATTACKER,
    ELSEWHERE,
    LOGIN,
    LOGINS,
    PAGE,
    Site,
    request_scope,
    sent_form,
)
from tests.monitoring.probes import own_refusals
from voting.metrics.metrics import RefusalKind

DOCUMENT = "GET /console/BCDF/tickets.pdf"


def known_cookie(user_id: int = 1) -> str:
    return f"{COOKIE}={TimestampSigner(salt=SALT).sign(str(user_id))}"


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "REFUSAL_DELAY_S", 0)


@pytest.mark.parametrize(
    ("request_line", "most", "kind"), [(LOGIN, MAX_ACTIVE, "login"), (DOCUMENT, MAX_DOCUMENTS, "document")]
)
@pytest.mark.parametrize("own_places", [0, PLACES_PER_ORGANIZER])
async def test_flood_is_refused_beyond_the_places_of_its_network_and_organizer(
    request_line: str, most: int, kind: RefusalKind, own_places: int
) -> None:
    before = own_refusals(kind)
    site = Site(request_line)
    await asyncio.gather(*site.flood(ATTACKER, cookie=known_cookie() if own_places else ""))
    admitted = most + PLACES_PER_NETWORK + own_places
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
    elsewhere = asyncio.create_task(site.visit(ELSEWHERE.format(1)))
    known = asyncio.create_task(site.visit(ATTACKER.format(251), known_cookie()))
    assert list(await asyncio.gather(elsewhere, known)) == [302, 302]
    assert site.served.index(ATTACKER.format(251)) <= MAX_ACTIVE + 1
    assert site.served.index(ELSEWHERE.format(1)) <= MAX_ACTIVE + 2
    await asyncio.gather(*flood)


async def test_many_networks_leave_a_place_for_another() -> None:
    site = Site()
    floods = [one for number in range(8) for one in site.flood(f"10.0.{number}.{{}}", PLACES_PER_NETWORK)]
    await asyncio.sleep(0.001)
    assert await site.visit(ELSEWHERE.format(1)) == 302
    await asyncio.gather(*floods)
    assert site.statuses[302] == MAX_ACTIVE + PLACES  # for it, the last of a long line gave way
    assert site.most_active == MAX_ACTIVE


async def test_new_device_takes_no_place_from_a_line_of_one() -> None:
    lines = WaitingLines(2, 2)
    waiting = [lines.join(network) for network in ("one", "two")]
    with pytest.raises(ServerBusy):
        lines.join("three")
    assert not any(turn.done() for turn in waiting)


async def test_clients_that_leave_free_their_places() -> None:
    site = Site()
    leaving = [site.visit(ATTACKER.format(number), leaves=True) for number in range(LOGINS)]
    staying = asyncio.gather(*site.flood(ATTACKER, PLACES_PER_NETWORK))
    cancelled = asyncio.create_task(site.visit(ATTACKER.format(1)))
    await asyncio.gather(*leaving)
    cancelled.cancel()
    assert await staying == [302] * PLACES_PER_NETWORK
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
        assert DOCUMENT_PATHS.fullmatch(reverse(f"console:{name}", args=["BCDF"]))
    assert not DOCUMENT_PATHS.fullmatch(reverse("console:tickets", args=["BCDF"]))


@pytest.mark.parametrize(("cookie", "language"), [(b"", b"de"), (b"language=ar", b"ar")])
async def test_refusal_is_translated(cookie: bytes, language: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_turns, "MAX_WAIT_S", 0.001)
    turns, parts = RequestTurns(find_known_user, 0, WaitingLines(1, 1), WaitingLines(1, 1)), []

    async def send(message: Any) -> None:
        parts.append(message.get("body", b""))

    scope = request_scope(PAGE, "192.0.2.1", (b"accept-language", b"it, de;q=0.5"), (b"cookie", cookie))
    await turns.serve(Site().respond, scope, sent_form(), send)
    assert b'<html lang="%b"' % language in b"".join(parts)


@pytest.mark.django_db
@pytest.mark.usefixtures("box")
def test_only_a_login_marks_a_known_device(monkeypatch: pytest.MonkeyPatch) -> None:
    client, user = Client(), User.objects.create_user("ada", password="the right password")
    for password, is_known in (("wrong", False), ("the right password", True)):
        client.post("/console/login/", {"login": "ada", "password": password})
        assert (COOKIE in client.cookies) is is_known
    cookie = f"{COOKIE}={client.cookies[COOKIE].value}"
    assert client.cookies[COOKIE]["httponly"]
    for forged in ("", f"{COOKIE}=1", f"{COOKIE}=1:1:x", f"{cookie}x", cookie.replace("=", "=1")):
        assert find_known_user({"headers": [(b"cookie", forged.encode())]}) == ""
    assert find_known_user({"headers": [(b"cookie", cookie.encode())]}) == str(user.pk)
    late = time.time() + COOKIE_MAX_AGE_S + 60
    monkeypatch.setattr("time.time", lambda: late)
    assert find_known_user({"headers": [(b"cookie", cookie.encode())]}) == ""

"""During a flood of logins, organizers log in, from a known device or another network, and pages work."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from crowdgame.accounts.known_devices import COOKIE
from tests.hardening.login_flood import HEADERS, LOGINS, TIMEOUT_S, submit
from tests.hardening.proxied_gateway import NAME, running_proxied_gateway
from tests.monitoring.probes import ask, paused
from tests.server import Server

ORGANIZER, PASSWORD = "olga", "the right password"
ATTACKER, ELSEWHERE = "198.51.100.7", "203.0.113.7"
TRIES = 2
VISITORS = 120  # more than the Redis connections of a process, of which redis-py allows 100
OUTAGE_S = 1.0  # less than REDIS_TIMEOUT_S
PAGES = ("/console/login/", "/play/", "/play/login", "/play/ratings", "/rules")


def log_in(server: Server, name: str, password: str, address: str, cookie: str = "") -> tuple[int, str]:
    """Return the response's status and the known device's cookie in it."""
    headers = {"X-Forwarded-For": address, "Cookie": f"{HEADERS['Cookie']}; {cookie}"}
    reply = submit(server, "/console/login/", {"login": name, "password": password}, headers)
    assert "Traceback" not in reply.page
    return reply.status, "".join(one for one in reply.cookies if one.startswith(COOKIE))


@contextmanager
def endless_flood(server: Server) -> Iterator[None]:
    """Keep LOGINS logins with unknown names in flight."""
    over, full = Event(), Event()

    def attack(number: int) -> None:
        while not over.is_set():
            status, _ = log_in(server, f"nobody {number}", "a guess", ATTACKER)
            if status == 503:
                full.set()

    with ThreadPoolExecutor(LOGINS) as threads:
        attacks = [threads.submit(attack, number) for number in range(LOGINS)]
        try:
            assert full.wait(TIMEOUT_S)
            yield
        finally:
            over.set()
        assert [one.result() for one in attacks] == [None] * LOGINS


def assert_pages_work_during_flood(server: Server) -> None:
    """Every page is shown while logins are in flight, and the organizer logs in on a known device.

    Redis pauses meanwhile, so that requests wait for it as they would on a slow machine.
    """
    since = len(server.log("gateway"))
    server.ask("set_password", name=ORGANIZER, password=PASSWORD)
    _, cookie = log_in(server, ORGANIZER, PASSWORD, ATTACKER)
    with endless_flood(server), ThreadPoolExecutor(VISITORS) as visitors:
        with paused(server, "valkey"):
            visits = [visitors.submit(ask, server, PAGES[number % len(PAGES)]) for number in range(VISITORS)]
            time.sleep(OUTAGE_S)  # the outage itself
        status, _ = log_in(server, ORGANIZER, PASSWORD, ATTACKER, cookie)
        assert Counter(visit.result().status for visit in visits) == {200: VISITORS}
    assert status == 302
    assert server.log_errors("gateway", since) == []


@pytest.fixture
def proxied(server: Server) -> Iterator[Server]:
    with running_proxied_gateway(server) as proxied:
        server.ask("set_password", name=ORGANIZER, password=PASSWORD)
        yield proxied
        assert proxied.log_errors(NAME) == []


@pytest.mark.nightly
def test_organizers_log_in_during_a_flood(proxied: Server) -> None:
    _, cookie = log_in(proxied, ORGANIZER, PASSWORD, ATTACKER)
    with endless_flood(proxied):
        known = [log_in(proxied, ORGANIZER, PASSWORD, ATTACKER, cookie)[0] for _ in range(TRIES)]
        elsewhere = [log_in(proxied, ORGANIZER, PASSWORD, ELSEWHERE)[0] for _ in range(TRIES)]
    assert (known, elsewhere) == ([302] * TRIES, [302] * TRIES)


@pytest.mark.nightly
def test_pages_work_during_a_flood(server: Server) -> None:
    assert_pages_work_during_flood(server)

"""During a flood of logins, pages work, and organizers log in from a known device."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from crowdgame.accounts.known_devices import COOKIE
from tests.hardening.login_flood import HEADERS, LOGINS, TIMEOUT_S, submit
from tests.monitoring.probes import ask, paused
from tests.server import Server

ORGANIZER, PASSWORD = "olga", "the right password"
VISITORS = 120  # more than the Redis connections of a process, of which redis-py allows 100
OUTAGE_S = 1.0  # less than REDIS_TIMEOUT_S
PAGES = ("/console/login/", "/play/", "/play/login", "/play/ratings", "/rules")


def log_in(server: Server, name: str, password: str, cookie: str = "") -> tuple[int, str]:
    """Return the response's status and the known device's cookie in it."""
    headers = {"Cookie": f"{HEADERS['Cookie']}; {cookie}"}
    reply = submit(server, "/console/login/", {"login": name, "password": password}, headers)
    assert "Traceback" not in reply.page
    return reply.status, "".join(one for one in reply.cookies if one.startswith(COOKIE))


@contextmanager
def endless_flood(server: Server) -> Iterator[None]:
    """Keep LOGINS logins with unknown names in flight."""
    over, full = Event(), Event()

    def attack(number: int) -> None:
        while not over.is_set():
            status, _ = log_in(server, f"nobody {number}", "a guess")
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
    _, cookie = log_in(server, ORGANIZER, PASSWORD)
    with endless_flood(server), ThreadPoolExecutor(VISITORS) as visitors:
        with paused(server, "valkey"):
            visits = [visitors.submit(ask, server, PAGES[number % len(PAGES)]) for number in range(VISITORS)]
            time.sleep(OUTAGE_S)  # the outage itself
        status, _ = log_in(server, ORGANIZER, PASSWORD, cookie)
        assert Counter(visit.result().status for visit in visits) == {200: VISITORS}
    assert status == 302
    assert server.log_errors("gateway", since) == []


@pytest.mark.nightly
def test_pages_work_during_a_flood(server: Server) -> None:
    assert_pages_work_during_flood(server)

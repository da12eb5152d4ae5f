import json
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import accumulate
from random import Random
from threading import Barrier, Event
from urllib.parse import urlencode

import psutil
import pytest

from crowdgame.accounts.known_devices import COOKIE
from crowdgame.play.duels.creation_limits import MAX_OPEN_GAMES_PER_NETWORK
from crowdgame.server.config.open_files import RESERVED_FILES
from crowdgame.server.laptop.network import LOOPBACK, free_port, wait_for_http
from crowdgame.server.laptop.stack import gateway
from crowdgame.server.laptop.supervisor import Supervisor
from tests.fuzz.messages import frame, handshake
from tests.monitoring.probes import HttpReply, ask, paused
from tests.server import Server
from tests.socket_clients import SocketClients
from voting.protocol import CloseCode

LOGINS = 60  # of which at most 32 of a network wait
CSRF_TOKEN = "c" * 32
HEADERS = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={CSRF_TOKEN}"}
# Each form hashes a password, also for an unknown name.
FORMS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("/console/login/", "login", {"password": "a guess"}),
    ("/play/login", "login", {"password": "a guess"}),
    ("/play/account", "username", {"password1": "correct horse battery"}),
)
ORGANIZER, PASSWORD = "olga", "the right password"
VISITORS = 120  # more than the Redis connections of a process, of which redis-py allows 100
OUTAGE_S = 1.0  # less than REDIS_TIMEOUT_S
PAGES = ("/console/login/", "/play/", "/play/login", "/play/ratings", "/rules")
NEW_GAMES = 60
SOFT_LIMIT, HARD_LIMIT = 200, 400
SPARE_FILES = 40  # opened by the gateway itself
CROWDED = CloseCode.CROWDED.to_bytes(2, "big")
WITH_LIMITS = ("bash", "-c", f'ulimit -S -n {SOFT_LIMIT}; ulimit -H -n {HARD_LIMIT}; exec "$@"', "limited")


def submit(server: Server, path: str, fields: Mapping[str, str], **headers: str) -> HttpReply:
    body = urlencode({"csrfmiddlewaretoken": CSRF_TOKEN, **fields})
    return ask(server, path, HEADERS | headers, "POST", body)


@contextmanager
def login_flood(server: Server) -> Iterator[list[HttpReply]]:
    """Log in with unknown names on all FORMS at once; the replies are there at the end."""

    def log_in(number: int) -> HttpReply:
        path, name, fields = FORMS[number % len(FORMS)]
        return submit(server, path, {**fields, name: f"Nobody {number}"})

    replies: list[HttpReply] = []
    with ThreadPoolExecutor(LOGINS) as threads:
        started = [threads.submit(log_in, number) for number in range(LOGINS)]
        yield replies
        replies += [one.result() for one in started]


def assert_flood_is_limited(server: Server, replies: list[HttpReply]) -> None:
    """Every login has a reply; those that would wait long are refused."""
    assert len(replies) == LOGINS
    assert {reply.status for reply in replies} <= {200, 302, 400, 503}
    refused = [reply for reply in replies if reply.status == 503]
    assert refused
    for reply in refused:
        assert reply.headers["Retry-After"]
        assert b"The server is busy" in reply.body


@contextmanager
def another_gateway(
    server: Server, name: str, before: Sequence[str] = (), after: Sequence[str] = ()
) -> Iterator[Server]:
    """The stack as seen through one more gateway, with words before and after its command."""
    stack = replace(server.stack, port=free_port())
    child = gateway(stack, port=stack.port)
    with Supervisor(stack.logs) as supervisor:
        supervisor.start(replace(child, name=name, argv=[*before, *child.argv, *after]))
        assert wait_for_http(LOOPBACK, stack.port, 60)
        yield replace(server, stack=stack, supervisor=supervisor)


def log_in(server: Server, name: str, password: str, cookie: str = "") -> tuple[int, str]:
    """Return the response's status and the known device's cookie in it."""
    form = {"login": name, "password": password}
    reply = submit(server, "/console/login/", form, Cookie=f"{HEADERS['Cookie']}; {cookie}")
    assert b"Traceback" not in reply.body
    cookies = [value.partition(";")[0] for value in reply.headers.get_all("Set-Cookie", [])]
    return reply.status, "".join(one for one in cookies if one.startswith(COOKIE))


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
            assert full.wait(60)
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
            wait(visits, OUTAGE_S)
        status, _ = log_in(server, ORGANIZER, PASSWORD, cookie)
        assert Counter(visit.result().status for visit in visits) == {200: VISITORS}
    assert status == 302
    assert server.log_errors("gateway", since) == []


@pytest.mark.nightly
def test_gateway_hashes_one_password_at_a_time(server: Server) -> None:
    settings = ["env", "DJANGO_SETTINGS_MODULE=tests.hardening.recorded_hashes"]
    with another_gateway(server, "recorded", settings) as recorded, login_flood(recorded) as replies:
        pass
    assert_flood_is_limited(recorded, replies)
    record = (server.stack.data / "hashes").read_text()
    assert max(accumulate(1 if mark == "+" else -1 for mark in record)) == 1


@pytest.mark.nightly
def test_pages_work_during_a_flood(server: Server) -> None:
    assert_pages_work_during_flood(server)


def assert_network_has_its_games_only(server: Server) -> None:
    """Ask from many addresses of one network, all at once, until a request is refused.

    The gateway trusts their X-Forwarded-For. Without a free database connection, it responds 503.
    """
    together, statuses = Barrier(NEW_GAMES), Counter[int]()
    with (
        another_gateway(server, "proxied", after=["--proxied"]) as proxied,
        ThreadPoolExecutor(NEW_GAMES) as guests,
    ):

        def create(number: int) -> int:
            together.wait()
            return submit(proxied, "/play/new", {}, **{"X-Forwarded-For": f"93.184.216.{number}"}).status

        while not statuses[409]:
            statuses += Counter(guests.map(create, range(NEW_GAMES)))
    created = server.rows("SELECT COUNT(*) FROM duels_duel WHERE network <> ''")[0][0]
    assert (created, statuses[302]) == (MAX_OPEN_GAMES_PER_NETWORK,) * 2, statuses
    assert statuses.keys() <= {302, 409, 503}


@pytest.mark.nightly
def test_simultaneous_requests_do_not_exceed_the_limit_of_a_network(server: Server) -> None:
    assert_network_has_its_games_only(server)


@pytest.mark.nightly
def test_gateway_refuses_newcomers_before_files_run_out(server: Server) -> None:
    with ExitStack() as stack:
        limited = stack.enter_context(another_gateway(server, "limited", before=WITH_LIMITS))
        clients = SocketClients(limited, stack)
        event = limited.ask("event", lobby="open")
        limited.ask("begin", event_id=event["id"])
        turn = limited.ask("close_after", event_id=event["id"], ms=3_600_000)
        phone, _ = clients.phone(event["code"])
        admitted = [is_admitted(limited, event["code"], stack) for _ in range(HARD_LIMIT)]
        assert SOFT_LIMIT < admitted.count(True) < HARD_LIMIT
        process = psutil.Process(limited.supervisor.pid("limited"))
        assert process.num_fds() < HARD_LIMIT - RESERVED_FILES + SPARE_FILES
        assert clients.open("phone").closed() == CloseCode.CROWDED
        phone.say("ballot.cast", turn=turn, epoch=1, choice=1, sequence=1)
        phone.receive("ballot.counted", sequence=1)
        assert ask(limited, "/play/").status == 200
    assert f"capacity: {HARD_LIMIT - RESERVED_FILES} connections" in limited.log("limited")
    assert limited.log_errors("limited") == []


def is_admitted(server: Server, code: str, stack: ExitStack) -> bool:
    """Join as a phone that stays, unless the gateway closes its socket with CROWDED or resets it."""
    try:
        address = LOOPBACK, server.stack.port
        connection = stack.enter_context(socket.create_connection(address, timeout=10))
        connection.sendall(handshake("/ws/phone", server.stack.port))
        received = receive_until(connection, b"\r\n\r\n")
        connection.sendall(frame(json.dumps({"type": "phone.join", "code": code}).encode(), Random(0)))
        if CROWDED not in received:
            received += receive_until(connection, b"phone.welcomed", CROWDED)
    except (ConnectionResetError, BrokenPipeError):  # fewer than ABORT_RESERVE files are left
        return False
    if b"phone.welcomed" not in received:
        connection.close()
    return b"phone.welcomed" in received


def receive_until(connection: socket.socket, *ends: bytes) -> bytes:
    received = b""
    while not any(end in received for end in ends) and (more := connection.recv(65_536)):
        received += more
    return received


def test_processes_raise_their_limit_of_open_files(server: Server) -> None:
    hard = psutil.Process().rlimit(psutil.RLIMIT_NOFILE)[1]
    for name in ("gateway", "worker", "scheduler-1"):
        process = psutil.Process(server.supervisor.pid(name))
        assert process.rlimit(psutil.RLIMIT_NOFILE) == (hard, hard), name

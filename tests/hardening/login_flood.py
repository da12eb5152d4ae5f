"""Floods of logins against a stack whose gateways record their password hashes."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from urllib.parse import urlencode

from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.stack import Stack
from tests.monitoring.probes import HttpReply, ask
from tests.server import Server, organizer, running_parts

LOGINS = 60  # of which at most 32 of a network wait
CSRF_TOKEN = "c" * 32
HEADERS = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={CSRF_TOKEN}"}
# Each form hashes a password, also for an unknown name.
FORMS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("/console/login/", "login", {"password": "a guess"}),
    ("/play/login", "login", {"password": "a guess"}),
    ("/play/account", "username", {"password1": "correct horse battery"}),
)


class RecordedStack(Stack):
    """A stack with the settings of `tests.hardening.recorded_hashes`."""

    @property
    def env(self) -> Mapping[str, str]:
        return {**super().env, "DJANGO_SETTINGS_MODULE": "tests.hardening.recorded_hashes"}


@contextmanager
def running_recorded_server(data: Path, database_url: str) -> Iterator[Server]:
    stack = RecordedStack(data=data, secret_key="x", port=free_port(), valkey_port=free_port())
    stack = replace(stack, database_url=database_url)
    with running_parts(stack) as supervisor, organizer(stack) as asked:
        yield Server(stack, supervisor, asked)


def submit(server: Server, path: str, fields: Mapping[str, str], **headers: str) -> HttpReply:
    """Submit a form, as a browser does."""
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
    """Every login has a reply; those that would wait long are refused; the gateway hashes one at a time."""
    assert len(replies) == LOGINS
    assert {reply.status for reply in replies} <= {200, 302, 400, 503}
    refused = [reply for reply in replies if reply.status == 503]
    assert refused
    for reply in refused:
        assert reply.headers["Retry-After"]
        assert b"Too many people are logging in" in reply.body
    record = (server.stack.data / f"hashes-{server.supervisor.pid('gateway')}").read_text()
    assert max(accumulate(1 if mark == "+" else -1 for mark in record)) == 1

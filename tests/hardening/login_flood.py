from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlencode

from tests.monitoring.probes import HttpReply, ask
from tests.server import Server

LOGINS = 60  # of which at most 32 of a network wait
CSRF_TOKEN = "c" * 32
HEADERS = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={CSRF_TOKEN}"}
# Each form hashes a password, also for an unknown name.
FORMS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("/console/login/", "login", {"password": "a guess"}),
    ("/play/login", "login", {"password": "a guess"}),
    ("/play/account", "username", {"password1": "correct horse battery"}),
)


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
    """Every login has a reply; those that would wait long are refused."""
    assert len(replies) == LOGINS
    assert {reply.status for reply in replies} <= {200, 302, 400, 503}
    refused = [reply for reply in replies if reply.status == 503]
    assert refused
    for reply in refused:
        assert reply.headers["Retry-After"]
        assert b"Too many people are logging in" in reply.body

"""Floods of logins neither stop the votes nor exceed the limit of wrong passwords."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.hardening.login_flood import (
    FORMS,
    assert_flood_is_limited,
    hashes,
    login_flood,
    running_recorded_server,
    submit,
)
from tests.server import Server
from tests.socket_clients import open_clients

pytestmark = pytest.mark.nightly

GUESSES = 100
ALLOWED_GUESSES = 10
LOGIN_FORMS = ("/console/login/", "/play/login")


@pytest.fixture(scope="module")
def flooded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_recorded_server(tmp_path_factory.mktemp("flooded"), gateways=2) as server:
        yield server


def test_login_flood_is_limited_while_sockets_are_served(flooded: Server) -> None:
    code = flooded.ask("event", lobby="open")["code"]
    with login_flood(flooded) as replies, open_clients(flooded) as clients:
        for _ in range(4):
            clients.phone(code)
    assert_flood_is_limited(flooded, replies)


@pytest.mark.parametrize(("path", "field", "fields"), FORMS)
def test_single_login_is_not_refused(flooded: Server, path: str, field: str, fields: dict[str, str]) -> None:
    assert submit(flooded, path, **fields, **{field: "Single visitor"}).status in {200, 302, 400}


def test_simultaneous_guesses_do_not_exceed_the_limit(flooded: Server) -> None:
    """The guesses reach two gateways by two forms, and are repeated until one is not refused as too many."""
    flooded.ask("set_password", name="ada", password="lovelace")
    before = hash_counts(flooded)

    def guess(number: int) -> int:
        path = LOGIN_FORMS[number % 2]
        while (status := submit(flooded, path, login="ada", password=f"{number}").status) == 503:
            pass
        return status

    with ThreadPoolExecutor(GUESSES) as threads:
        statuses = Counter(threads.map(guess, range(GUESSES)))
    assert statuses.keys() <= {200, 400, 429}
    guesses = hash_counts(flooded) - before
    assert guesses.total() == ALLOWED_GUESSES
    assert len(guesses) == 2, "both gateways checked guesses"
    right = submit(flooded, "/console/login/", login="ada", password="lovelace")
    assert right.status == 429 or "Try again in 15 minutes" in right.page


def hash_counts(server: Server) -> Counter[str]:
    """How many passwords each gateway has hashed."""
    return Counter({gateway: record.count("+") for gateway, record in hashes(server).items()})

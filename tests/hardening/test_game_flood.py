"""Simultaneous requests don't exceed the limits on new games."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from crowdgame.play.duels.creation_limits import MAX_OPEN_GAMES_PER_NETWORK
from crowdgame.server.laptop.network import LOOPBACK, free_port, wait_for_http
from crowdgame.server.laptop.stack import gateway
from crowdgame.server.laptop.supervisor import Supervisor
from tests.hardening.login_flood import submit
from tests.server import Server

REQUESTS = 60


def new_games(server: Server, addresses: str) -> Counter[int]:
    """Create games, each from an address of its own, all at once; return the statuses."""
    together = Barrier(REQUESTS)

    def create(number: int) -> int:
        together.wait()
        return submit(server, "/play/new", {}, {"X-Forwarded-For": addresses.format(number)}).status

    with ThreadPoolExecutor(REQUESTS) as threads:
        return Counter(threads.map(create, range(REQUESTS)))


def assert_network_has_its_games_only(server: Server, addresses: str) -> None:
    """Ask one more gateway, which trusts the X-Forwarded-For of its clients, until a request is refused.

    Without a free database connection, requests get 503.
    """
    stack = replace(server.stack, port=free_port())
    started = gateway(stack, port=stack.port)
    with Supervisor(stack.logs) as supervisor:
        supervisor.start(replace(started, name="proxied", argv=[*started.argv, "--proxied"]))
        assert wait_for_http(LOOPBACK, stack.port, 60)
        proxied = replace(server, stack=stack, supervisor=supervisor)
        statuses = new_games(proxied, addresses)
        while not statuses[409]:
            statuses += new_games(proxied, addresses)
    created = server.rows("SELECT COUNT(*) FROM duels_duel WHERE network <> ''")[0][0]
    assert (created, statuses[302]) == (MAX_OPEN_GAMES_PER_NETWORK,) * 2, statuses
    assert statuses.keys() <= {302, 409, 503}


@pytest.mark.nightly
def test_simultaneous_requests_do_not_exceed_the_limit_of_a_network(server: Server) -> None:
    assert_network_has_its_games_only(server, "93.184.216.{}")

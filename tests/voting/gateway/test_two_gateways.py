"""Consoles of one event at two gateways: each sees the actions of the other."""

from collections.abc import Iterator

import pytest

from crowdgame.server.laptop.network import supports_reuse_port
from tests.server import Server, running_server
from tests.socket_clients import SocketClient, open_clients
from tests.voting.consoles import done, open_console, received_entries
from tests.voting.two_gateways import gateway_of
from voting.protocol import CloseCode

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not supports_reuse_port(), reason="this system allows one gateway per port"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("two-gateways"), gateways=2) as server:
        yield server


@pytest.fixture
def consoles(cluster: Server) -> Iterator[tuple[SocketClient, SocketClient]]:
    """Consoles of one event with an open lobby, at the first and at the second gateway."""
    with open_clients(cluster) as clients:
        made = cluster.ask("event", lobby="open")
        found: dict[str, SocketClient] = {}
        while len(found) < 2:
            client = open_console(cluster, clients, made["code"])
            found.setdefault(gateway_of(cluster, client), client)
        yield found["gateway-1"], found["gateway-2"]


def test_audit_entries_reach_consoles_of_all_gateways(
    cluster: Server, consoles: tuple[SocketClient, SocketClient]
) -> None:
    for number, (here, there) in enumerate((consoles, consoles[::-1]), 1):
        done(here, number, "notice.show", text=f"Line {number}")
        for console in (here, there):
            entries = received_entries(console, number)
            assert [entry["what"] for entry in entries] == [
                f"olga wrote: Line {n}" for n in range(1, number + 1)
            ]


def test_voter_is_moved_and_banned_at_every_gateway(cluster: Server) -> None:
    """One voter has a device at each gateway: both devices are moved and banned."""
    with open_clients(cluster) as clients:
        made = cluster.ask("event", lobby="open")
        console = open_console(cluster, clients, made["code"])
        phone, welcome = clients.phone(made["code"])
        devices = {gateway_of(cluster, phone): phone}
        while len(devices) < 2:
            other, _ = clients.phone(made["code"], token=welcome["you"]["token"])
            if devices.setdefault(gateway_of(cluster, other), other) is not other:
                other.leave()  # the number of sockets per seat is limited at a gateway
        you = welcome["you"]
        done(console, 1, "voter.move", voter_code=you["voter_code"], team=3 - you["team"])
        for device in devices.values():
            assert device.receive("phone.welcomed")["you"]["team"] == 3 - you["team"]
        done(console, 2, "voter.ban", voter_code=you["voter_code"])
        assert [device.closed() for device in devices.values()] == [CloseCode.BANNED] * 2

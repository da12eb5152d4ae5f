"""Consoles of one event at two gateways: each sees the actions and rehearsals of the other."""

import os
import signal
import time
from collections.abc import Iterator

import pytest

from crowdgame.rehearsal.dry_run_lease import KEPT_MS
from deploy.laptop.network import supports_reuse_port
from tests.deploy.processes import wait_until
from tests.server import Server, running_server
from tests.socket_clients import Message, SocketClient, open_clients
from tests.voting.consoles import done, open_console, received_entries
from tests.voting.two_gateways import gateway_of
from voting.protocol import CloseCode

# After this time without the box, the rehearsal's lease has expired, and its gateway has to renew it.
LEASE_EXPIRED_S = KEPT_MS / 1000 + 1
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


def has_ended(message: Message) -> bool:
    return message["type"] == "rehearsal.updated" and not message["running"]


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


def test_rehearsal_is_seen_and_stopped_from_any_gateway(
    cluster: Server, consoles: tuple[SocketClient, SocketClient]
) -> None:
    for here, there in (consoles, consoles[::-1]):
        done(here, 1, "rehearsal.start", phones=5)
        for console in consoles:
            console.receive("rehearsal.updated", connected=5, running=True)
        there.say("action.ask", id=2, action="rehearsal.start", phones=3)
        assert there.receive("action.refused", id=2)["text"] == "A rehearsal is already running."
        done(there, 3, "rehearsal.stop")
        for console in consoles:
            assert console.receive_until(has_ended)["connected"] == 5
        here.say("action.ask", id=4, action="rehearsal.stop")
        assert here.receive("action.refused", id=4)["text"] == "No rehearsal is running."
    for name in cluster.stack.gateway_names:
        assert cluster.log_errors(name) == []


def test_rehearsal_survives_frozen_box(cluster: Server, consoles: tuple[SocketClient, SocketClient]) -> None:
    here, there = consoles
    done(here, 1, "rehearsal.start", phones=5)
    there.receive("rehearsal.updated", connected=5, running=True)
    box = cluster.supervisor.pid("valkey")
    assert box
    os.kill(box, signal.SIGSTOP)
    try:
        time.sleep(LEASE_EXPIRED_S)  # the duration matters: there is nothing to poll meanwhile
    finally:
        os.kill(box, signal.SIGCONT)
    there.say("clock.ask", sent=1).receive("clock.synced")
    there.receive("rehearsal.updated", connected=5, running=True)
    there.receive("rehearsal.updated", connected=5, running=True)
    done(there, 2, "rehearsal.stop")
    for console in consoles:
        console.receive_until(has_ended)
    for name in cluster.stack.gateway_names:
        assert cluster.log_errors(name) == []


def test_rehearsal_of_killed_gateway_ends_once(
    cluster: Server, consoles: tuple[SocketClient, SocketClient]
) -> None:
    here, there = consoles
    done(here, 1, "rehearsal.start", phones=5)
    there.receive("rehearsal.updated", connected=5, running=True)
    pid = cluster.supervisor.pid("gateway-1")
    assert pid
    os.kill(pid, signal.SIGKILL)
    there.receive_until(has_ended)
    wait_until(lambda: cluster.supervisor.pid("gateway-1") not in {None, pid})
    done(there, 2, "rehearsal.start", phones=3)
    there.receive("rehearsal.updated", connected=3, running=True)
    assert len(list(filter(has_ended, there.received))) == 1
    done(there, 3, "rehearsal.stop")
    there.receive_until(has_ended)

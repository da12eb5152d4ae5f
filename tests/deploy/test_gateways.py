"""Two gateways on one port share the phones; when one stops, the other takes over without loss."""

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from deploy.laptop.network import supports_reuse_port
from tests.crowd_helpers import (
    BRISK,
    PHONES,
    TIMEOUT_S,
    connected,
    crowd,
    held,
    leave,
    resolve_another,
    restart,
)
from tests.deploy.processes import wait_until
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
)
from tests.monitoring.probes import metric_samples
from tests.server import ASGI_SERVERS_TESTED, Server, running_server

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(
        not supports_reuse_port(), reason="this system doesn't balance connections over sockets on one port"
    ),
]


@dataclass
class FailoverRun:
    """`shares`: phones per gateway at first. `turns`: those in which one was killed and one drained.

    `gone`: the process ids of both.
    """

    server: Server
    event: int
    shares: list[int]
    turns: list[int]
    gone: set[int | None]
    report: RehearsalReport


@pytest.fixture(scope="module", params=ASGI_SERVERS_TESTED)
def failover(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FailoverRun]:
    data = tmp_path_factory.mktemp("gateways")
    with running_server(data, request.param, gateways=2) as server:
        event = server.ask("event", **BRISK)
        with crowd(server, event["code"], data) as phones:
            wait_until(lambda: connected(server, event["id"]) == PHONES, TIMEOUT_S)
            shares = held(server, event["id"])
            server.ask("begin", event_id=event["id"])
            first, second = server.stack.gateway_names
            gone = {server.supervisor.pid(first), server.supervisor.pid(second)}
            turns = [restart(server, event["id"], first, signal.SIGKILL)]
            wait_until(lambda: connected(server, event["id"]) == PHONES, TIMEOUT_S)
            turns.append(restart(server, event["id"], second, signal.SIGTERM))
            wait_until(lambda: connected(server, event["id"]) == PHONES, TIMEOUT_S)
            resolve_another(server, event["id"])
            report = leave(phones, data)
        resolve_another(server, event["id"])
        yield FailoverRun(server, event["id"], shares, turns, gone, report)


def test_gateways_share_the_phones(failover: FailoverRun) -> None:
    assert len(failover.shares) == 2
    assert min(failover.shares) > PHONES / 10


def test_gateway_kill_and_drain_lose_no_ballot(failover: FailoverRun) -> None:
    resolved = resolved_turns(failover.server, failover.event)
    assert set(failover.turns) <= set(resolved)
    assert set(failover.turns) <= set(failover.report.ledger)
    assert_nothing_is_lost(failover.server, failover.report, resolved)
    assert_counts_are_of_sealed_ballots(failover.server)
    assert_resolved_once(failover.server, failover.event)


def test_phones_all_reconnect_after_failover(failover: FailoverRun) -> None:
    assert failover.report.joined == PHONES
    assert failover.report.away == {}
    assert failover.report.unreadable == 0


def test_phones_of_the_other_gateway_stay_connected(failover: FailoverRun) -> None:
    assert failover.report.reconnects < 2 * PHONES


def test_drained_gateway_exits_cleanly(failover: FailoverRun) -> None:
    assert "drain timed out" not in failover.server.log(failover.server.stack.gateway_names[1])
    assert failover.server.log_errors(failover.server.stack.gateway_names[1]) == []


def test_metrics_omit_dead_gateways(failover: FailoverRun) -> None:
    pids = {int(s.labels["pid"]) for s in metric_samples(failover.server) if s.name == "crowdgame_process"}
    assert failover.server.supervisor.pid("gateway-1") in pids
    assert not pids & failover.gone

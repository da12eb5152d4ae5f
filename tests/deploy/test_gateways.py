"""Two gateways on one port share the phones; when one stops, the other takes over without loss."""

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from crowdgame.server.laptop.network import supports_reuse_port
from tests.crowd_helpers import PHONES, TIMEOUT_S, connected, held, restart
from tests.deploy.failover import FailoverRun, FailoverTests, vote_during
from tests.deploy.processes import wait_until
from tests.monitoring.probes import metric_samples
from tests.server import ASGI_SERVERS_TESTED, running_server

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(
        not supports_reuse_port(), reason="this system doesn't balance connections over sockets on one port"
    ),
]


@dataclass
class GatewayFailover(FailoverRun):
    """`shares`: phones per gateway at first. `gone`: the process ids of the first two gateways."""

    shares: list[int]
    gone: set[int | None]


@pytest.fixture(scope="module", params=ASGI_SERVERS_TESTED)
def failover(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GatewayFailover]:
    """One gateway is killed in a turn, the other one drained in a later one."""
    data, shares = tmp_path_factory.mktemp("gateways"), list[int]()
    with running_server(data, request.param, gateways=2) as server:
        names = server.stack.gateway_names
        gone = {server.supervisor.pid(name) for name in names}

        def fail(event: int) -> list[int]:
            wait_until(lambda: connected(server, event) == PHONES, TIMEOUT_S)
            shares.extend(held(server, event))
            turns = []
            for name, number in zip(names, (signal.SIGKILL, signal.SIGTERM), strict=True):
                turns.append(restart(server, event, name, number))
                wait_until(lambda: connected(server, event) == PHONES, TIMEOUT_S)
            return turns

        run = vote_during(fail, server, data)
        yield GatewayFailover(**vars(run), shares=shares, gone=gone)


class TestGatewayFailover(FailoverTests):
    def test_gateways_share_the_phones(self, failover: GatewayFailover) -> None:
        assert len(failover.shares) == 2
        assert min(failover.shares) > PHONES / 10

    def test_phones_of_the_other_gateway_stay_connected(self, failover: GatewayFailover) -> None:
        assert failover.report.reconnects < 2 * PHONES

    def test_drained_gateway_exits_cleanly(self, failover: GatewayFailover) -> None:
        drained = failover.server.stack.gateway_names[1]
        assert "drain timed out" not in failover.server.log(drained)
        assert failover.server.log_errors(drained) == []

    def test_metrics_omit_dead_gateways(self, failover: GatewayFailover) -> None:
        samples = metric_samples(failover.server)
        pids = {int(sample.labels["pid"]) for sample in samples if sample.name == "crowdgame_process"}
        assert failover.server.supervisor.pid("gateway-1") in pids
        assert not pids & failover.gone

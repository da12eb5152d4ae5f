"""Two gateways at one port: they share a crowd, and when one goes the other has it all, without a loss."""

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from deploy.laptop.network import supports_reuse_port
from tests.crowd_helpers import (
    BRISK,
    PATIENCE_S,
    PHONES,
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
from tests.stack import SERVERS_TESTED, House, running_house
from tests.watching.watcher import metric_samples

pytestmark = pytest.mark.skipif(
    not supports_reuse_port(), reason="this system spreads nobody over several sockets"
)


@dataclass
class FailoverRun:
    """`shares` are the voters of each gateway at first, `turns` when one was killed and one drained.

    `gone` are the processes that were.
    """

    house: House
    event: int
    shares: list[int]
    turns: list[int]
    gone: set[int | None]
    report: RehearsalReport


@pytest.fixture(scope="module", params=SERVERS_TESTED)
def failover(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FailoverRun]:
    data = tmp_path_factory.mktemp("gateways")
    with running_house(data, request.param, gateways=2) as house:
        event = house.ask("event", **BRISK)
        with crowd(house, event["code"], data) as phones:
            wait_until(lambda: connected(house, event["id"]) == PHONES, PATIENCE_S)
            shares = held(house, event["id"])
            house.ask("begin", event_id=event["id"])
            first, second = house.stack.gateway_names
            gone = {house.supervisor.pid(first), house.supervisor.pid(second)}
            turns = [restart(house, event["id"], first, signal.SIGKILL)]
            wait_until(lambda: connected(house, event["id"]) == PHONES, PATIENCE_S)
            turns.append(restart(house, event["id"], second, signal.SIGTERM))
            wait_until(lambda: connected(house, event["id"]) == PHONES, PATIENCE_S)
            resolve_another(house, event["id"])
            report = leave(phones, data)
        resolve_another(house, event["id"])
        yield FailoverRun(house, event["id"], shares, turns, gone, report)


def test_both_have_a_share(failover: FailoverRun) -> None:
    assert len(failover.shares) == 2
    assert min(failover.shares) > PHONES / 10


def test_no_ballot_is_lost_when_one_is_killed_and_one_is_drained(failover: FailoverRun) -> None:
    resolved = resolved_turns(failover.house, failover.event)
    assert set(failover.turns) <= set(resolved)
    assert set(failover.turns) <= set(failover.report.ledger)
    assert_nothing_is_lost(failover.house, failover.report, resolved)
    assert_counts_are_of_sealed_ballots(failover.house)
    assert_resolved_once(failover.house, failover.event)


def test_everybody_came_back(failover: FailoverRun) -> None:
    assert failover.report.joined == PHONES
    assert failover.report.away == {}
    assert failover.report.unreadable == 0


def test_only_the_phones_of_the_one_that_went_had_to_come_back(failover: FailoverRun) -> None:
    assert failover.report.reconnects < 2 * PHONES


def test_one_that_was_drained_ended_by_itself(failover: FailoverRun) -> None:
    assert "not all were sent away" not in failover.house.log(failover.house.stack.gateway_names[1])
    assert failover.house.log_errors(failover.house.stack.gateway_names[1]) == []


def test_the_dead_hold_nobody_in_the_figures(failover: FailoverRun) -> None:
    pids = {int(s.labels["pid"]) for s in metric_samples(failover.house) if s.name == "crowdgame_process"}
    assert failover.house.supervisor.pid("gateway-1") in pids
    assert not pids & failover.gone

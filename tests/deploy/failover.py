"""An event whose crowd votes while a process fails, and the checks that nothing is lost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from tests.crowd_helpers import BRISK, PHONES, TIMEOUT_S, crowd, leave, resolve_another, turn_with_ballots
from tests.deploy.processes import wait_until
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
)
from tests.server import Server


@dataclass
class FailoverRun:
    """`turns` are those in which a process failed."""

    server: Server
    event: int
    turns: list[int]
    report: RehearsalReport


def vote_during(fail: Callable[[int], list[int]], server: Server, data: Path) -> FailoverRun:
    """Let a crowd vote in a new event. `fail` takes its id; it returns the turns with a failed process."""
    event = server.ask("event", **BRISK)
    with crowd(server, event["code"], data) as phones:
        server.ask("begin", event_id=event["id"])
        turns = fail(event["id"])
        resolve_another(server, event["id"])
        report = leave(phones)
    resolve_another(server, event["id"])  # the turn that was open when the crowd left
    return FailoverRun(server, event["id"], turns, report)


@contextmanager
def during_window(server: Server, event: int) -> Iterator[int]:
    """The turn in which ballots arrive; waits at the end until it is resolved."""
    turn = turn_with_ballots(server, event)
    yield turn
    wait_until(lambda: turn in resolved_turns(server, event), TIMEOUT_S)


class FailoverTests:
    """Checks for every failure. A test file subclasses it and provides a fixture `failover`."""

    def test_failover_loses_no_ballot_and_resolves_each_turn_once(self, failover: FailoverRun) -> None:
        server, report = failover.server, failover.report
        resolved = resolved_turns(server, failover.event)
        assert len(set(failover.turns)) == 2
        assert set(failover.turns) <= set(resolved) & set(report.ledger)
        assert_nothing_is_lost(server, report, resolved)
        assert_counts_are_of_sealed_ballots(server)
        assert_resolved_once(server, failover.event)
        assert report.ballots.acknowledged > PHONES * 2

    def test_failover_sends_no_phone_away(self, failover: FailoverRun) -> None:
        report = failover.report
        assert (report.joined, report.unreadable, report.away) == (PHONES, 0, {})

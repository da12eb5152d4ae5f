"""Load runs: a crowd joins, votes, receives the reveals, and in one profile reconnects all at once."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from crowdgame.rehearsal.rehearsal_report import BallotTotals, RehearsalReport
from crowdgame.rehearsal.samples import Spread
from tests.crowd_helpers import running_crowd
from tests.deploy.processes import becomes_true
from tests.load.bench.machine import Stopwatch, processes
from tests.load.bench.results import LoadRun
from tests.server import Server

JOINED_WITHIN_S = 60.0
MOST_PHONES = 18_000  # of a process
SOURCES = 32  # addresses of a process; the more ports of one are used, the longer Linux searches for another
POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Scenario:
    """The behavior of a crowd, with windows of `window_s` seconds."""

    profile: str
    window_s: int
    turns: int


TIMES = ("ack_ms", "sealed_ms", "resolved_ms", "reveal_ms", "last_reveal_ms")
COUNTS = ("sent", "acknowledged", "lost", "cut_off", "missing")
PERCENTILES = ("p50", "p99", "max")
SCENARIOS = (Scenario("spread", 10, 3), Scenario("burst", 5, 3), Scenario("herd", 24, 1))


def run_load(scenario: Scenario, phones: int, server: Server, home: Path) -> LoadRun:
    """No process is pinned: gateways, crowd and everything else share the machine."""
    parts = processes(server)
    watch = Stopwatch([pid for pids in parts.values() for pid in pids])
    reports, begun = _rehearse(scenario, phones, server, home, watch.pids)
    used = {name: round(watch.cpu_s(pids), 2) for name, pids in parts.items()}
    serving = [pid for name, pids in parts.items() if name.startswith(("gateway", "valkey")) for pid in pids]
    turns = min(sum(turn.tallied is not None for turn in report.turns) for report in reports)
    return LoadRun(
        server=server.stack.server,
        profile=scenario.profile,
        phones=phones,
        joined=sum(report.joined for report in reports),
        turns=turns,
        ballots=_add_up(reports),
        **{name: _worst(getattr(report, name) for report in reports) for name in TIMES},
        joined_in_ms=max(_longest_ms(report.joined_in_s) for report in reports),
        together_ms=_together_ms(reports),
        busy_s=max(report.busy_s for report in reports),
        cpu_s={**used, "crowd": sum(report.cpu_s for report in reports)},
        turn_cpu_us=round(1e6 * begun.cpu_s(serving) / phones / max(1, turns), 1),
        wall_s=round(watch.wall_s, 1),
    )


def _add_up(reports: Sequence[RehearsalReport]) -> BallotTotals:
    totals = [report.ballots for report in reports]
    refused = sum((Counter(one.refused) for one in totals), Counter[str]())
    counts = {name: sum(getattr(one, name) for one in totals) for name in COUNTS}
    return BallotTotals(**counts, refused=dict(refused))


def _worst(spreads: Iterable[Spread | None]) -> Spread | None:
    """The highest of each percentile: no crowd fared worse."""
    found = [spread for spread in spreads if spread]
    return Spread(*(max(getattr(one, name) for one in found) for name in PERCENTILES)) if found else None


def _together_ms(reports: Sequence[RehearsalReport]) -> float | None:
    """Until all phones were back; None if some were not."""
    all_back = all(report.reconnects >= report.phones == report.connected for report in reports)
    return max(_longest_ms(report.reconnected_in_s) for report in reports) if all_back else None


def _longest_ms(spread: Spread | None) -> float:
    return spread.max * 1000 if spread else 0.0


def _rehearse(
    scenario: Scenario, phones: int, server: Server, home: Path, pids: Sequence[int]
) -> tuple[list[RehearsalReport], Stopwatch]:
    """Begin the match after all have joined, so that joining does not affect the windows.

    The stopwatch measures `pids` from then on.
    """
    choices = {"window_s": scenario.window_s, "pace": "instant", "lobby": "open"}
    event = server.ask("event", owner="otto", **choices)
    argv = [event["code"], "--profile", scenario.profile, "--turns", str(scenario.turns)]
    count = -(-phones // MOST_PHONES)
    with ExitStack() as running:
        crowds = [
            running.enter_context(
                running_crowd(
                    [*argv, "--source", ",".join(f"127.0.{number}.{last + 1}" for last in range(SOURCES))],
                    phones // count + (number <= phones % count),
                    server,
                    home / f"{phones}-{scenario.profile}-{number}",
                )
            )
            for number in range(1, count + 1)
        ]
        # If phones are missing, the reports show it.
        becomes_true(lambda: all(crowd.has_joined() for crowd in crowds), JOINED_WITHIN_S, POLL_S)
        begun = Stopwatch(pids)
        server.ask("begin", event_id=event["id"])
        return [crowd.wait() for crowd in crowds], begun

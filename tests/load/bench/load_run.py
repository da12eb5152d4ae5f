"""Load runs: a crowd joins, votes, receives the reveals, and in one profile reconnects all at once."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import msgspec

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.rehearsal.samples import Spread
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.deploy.processes import becomes_true
from tests.load.bench.machine import Stopwatch
from tests.load.bench.processes import processes
from tests.load.bench.results import LoadRun
from tests.server import Server

JOINED_WITHIN_S = 60.0
LONGEST_S = 120.0
POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Scenario:
    """The behavior of a crowd, with windows of `window_s` seconds."""

    profile: str
    window_s: int
    turns: int


SCENARIOS = (Scenario("spread", 10, 3), Scenario("burst", 5, 3), Scenario("herd", 10, 1))


def run_load(scenario: Scenario, phones: int, server: Server, home: Path) -> LoadRun:
    """No process is pinned: gateways, crowd and everything else share the machine."""
    parts = processes(server)
    watch = Stopwatch([pid for pids in parts.values() for pid in pids])
    report = _rehearse(scenario, phones, server, home)
    used = {name: round(watch.cpu_s(pids), 2) for name, pids in parts.items()}
    return LoadRun(
        server=server.stack.server,
        profile=scenario.profile,
        phones=phones,
        joined=report.joined,
        turns=sum(turn.tallied is not None for turn in report.turns),
        ballots=report.ballots,
        ack_ms=report.ack_ms,
        sealed_ms=report.sealed_ms,
        resolved_ms=report.resolved_ms,
        reveal_ms=report.reveal_ms,
        last_reveal_ms=report.last_reveal_ms,
        joined_in_ms=_longest_ms(report.joined_in_s),
        together_ms=_longest_ms(report.reconnected_in_s) if _all_back(report) else None,
        busy_s=report.busy_s,
        cpu_s={**used, "crowd": report.cpu_s},
        wall_s=round(watch.wall_s, 1),
    )


def _all_back(report: RehearsalReport) -> bool:
    return report.reconnects >= report.phones == report.connected


def _longest_ms(spread: Spread | None) -> float | None:
    return spread.max * 1000 if spread else None


def _rehearse(scenario: Scenario, phones: int, server: Server, home: Path) -> RehearsalReport:
    """Begin the match after all have joined, so that joining does not affect the windows."""
    choices = {"window_s": scenario.window_s, "pace": "instant", "lobby": "open"}
    event = server.ask("event", owner="otto", **choices)
    report, log = (home / f"{scenario.profile}.{kind}" for kind in ("json", "log"))
    argv = [*MANAGE, "rehearse", event["code"], "--url", server.http, "--phones", str(phones)]
    argv += ["--profile", scenario.profile, "--turns", str(scenario.turns), "--json", str(report)]
    with log.open("w") as out:
        crowd = subprocess.Popen(
            argv, cwd=ROOT, env={**os.environ, **server.stack.env}, stdout=out, stderr=out
        )
    try:
        joined = f"{phones} of {phones} phones have joined"  # if not, the report shows who is missing
        becomes_true(lambda: joined in log.read_text() or crowd.poll() is not None, JOINED_WITHIN_S, POLL_S)
        server.ask("begin", event_id=event["id"])
        crowd.wait(LONGEST_S)
    finally:
        crowd.kill()
    assert report.exists(), f"the crowd has no report: {log.read_text()[-300:]}"
    return msgspec.json.decode(report.read_bytes(), type=RehearsalReport)

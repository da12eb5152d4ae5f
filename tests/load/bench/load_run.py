"""Load runs: a crowd joins, votes, receives the reveals, and in one profile reconnects all at once."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.rehearsal.samples import Spread
from tests.crowd_helpers import running_crowd
from tests.deploy.processes import becomes_true
from tests.load.bench.machine import Stopwatch, processes
from tests.load.bench.report import COUNT, MS, US, Results, too_few
from tests.server import Server

JOINED_WITHIN_S = 60.0
MOST_PHONES = 18_000  # of a process
SOURCES = 32  # addresses of a process; the more ports of one are used, the longer Linux searches for another
POLL_S = 0.2


class Scenario(NamedTuple):
    """The behavior of a crowd, with windows of `window_s` seconds."""

    profile: str
    window_s: int
    turns: int


SCENARIOS = (Scenario("spread", 10, 3), Scenario("burst", 5, 3), Scenario("herd", 24, 1))
FULL_CROWD = {"daphne": 10_000, "uvicorn": 18_000}
# Goals by the number of phones.
ACKNOWLEDGED = {
    "spread": {10_000: "≤ 250 ms", 18_000: "≤ 200 ms", 50_000: "≤ 400 ms"},
    "burst": {10_000: "≤ 400 ms", 18_000: "≤ 200 ms"},
}
LAST_REVEAL = {10_000: "≤ 180 ms", 18_000: "≤ 300 ms", 50_000: "≤ 1000 ms"}
RECONNECTED = {10_000: "≤ 3500 ms", 18_000: "≤ 3500 ms"}


def run_load(scenario: Scenario, phones: int, server: Server, home: Path, results: Results) -> None:
    """No process is pinned: gateways, crowd and everything else share the machine."""
    parts = processes(server)
    watch = Stopwatch([pid for pids in parts.values() for pid in pids])
    reports, begun = _rehearse(scenario, phones, server, home, watch.pids)
    used = {name: watch.cpu_s(pids) for name, pids in parts.items()}
    used["crowd"] = sum(report.cpu_s for report in reports)
    serving = [pid for name, pids in parts.items() if name.startswith(("gateway", "valkey")) for pid in pids]
    turns = min(sum(turn.tallied is not None for turn in report.turns) for report in reports)
    profile, small = scenario.profile, too_few(phones, FULL_CROWD[server.stack.server])

    def add(what: str, value: float | None, unit: str = COUNT, **more: str) -> None:
        results.add(server.stack.server, f"{profile} of {phones:,}, {what}", value, unit, **more)

    def total(name: str) -> int:
        return sum(getattr(report.ballots, name) for report in reports)

    if profile in ACKNOWLEDGED:
        revealed = LAST_REVEAL.get(phones, "")
        worst, acknowledged_goal = f"worst of {turns} turns", ACKNOWLEDGED[profile].get(phones, "")
        for what, name, percentile, goal in (
            ("ballot acknowledgement, p99", "ack_ms", "p99", acknowledged_goal),
            (f"deadline to seal, {worst}", "sealed_ms", "max", "≤ 50 ms"),
            (f"deadline to last received reveal, {worst}", "last_reveal_ms", "max", revealed),
            (f"deadline to counted, {worst}", "resolved_ms", "max", {50_000: "≤ 250 ms"}.get(phones, "")),
        ):
            value = _worst([getattr(report, name) for report in reports], percentile)
            add(what, value, MS, goal=goal, not_judged=small)
    add("the crowd's share of CPU time", used["crowd"] / sum(used.values()), "{:.0%}")
    if profile == "spread":
        cpu_us = 1e6 * begun.cpu_s(serving) / phones / max(1, turns)
        goal = "≤ 190" if phones == 18_000 else ""
        add("CPU of gateways and store, per phone and turn with receipts", cpu_us, US, goal=goal)
    if profile == "herd":
        all_back = all(report.reconnects >= report.phones == report.connected for report in reports)
        slowest_s = _worst((report.reconnected_in_s for report in reports), "max") or 0.0
        took_ms = slowest_s * 1000 if all_back else None
        goal = RECONNECTED.get(phones, "")
        add("mass disconnect to all reconnected", took_ms, MS, goal=goal, not_judged=small)
    acknowledged, joined = total("acknowledged"), sum(report.joined for report in reports)
    add(f"lost of {acknowledged:,} acknowledged ballots", total("missing"), goal="≤ 0")
    goal = "" if profile == "herd" else "≤ 0"
    add("ballots not answered before the reveal", total("lost"), goal=goal)
    add("phones not admitted", phones - joined, goal="≤ 0")
    results.notes.append(
        f"{server.stack.server}, {profile}: {joined:,} of {phones:,} phones joined,"
        f" {acknowledged:,} of {total('sent'):,} ballots acknowledged in {turns} turns,"
        f" {total('cut_off')} interrupted with their phones; CPU seconds in {watch.wall_s:.0f} s:"
        f" {', '.join(f'{name} {spent:.1f}' for name, spent in used.items())};"
        f" the crowd was too busy for {max(report.busy_s for report in reports):.0f} s"
    )


def _worst(spreads: Iterable[Spread | None], percentile: str) -> float | None:
    return max((getattr(spread, percentile) for spread in spreads if spread), default=None)


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

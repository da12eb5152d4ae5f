"""`python -m tests.chaos`: simulated phones in several events, and random faults drawn from a seed.

Each phone records what it sent and what was acknowledged. After each fault every turn is compared with these
records and counted again. The run fails if a ballot is lost or a turn is duplicated or wrong.
"""

import secrets
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from crowdgame.rehearsal.samples import Samples, Spread
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import SERVERS
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.chaos.campaign import Campaign, InjectedFault, Size
from tests.chaos.faults import CLOCKS, DISK, Fault, catalog
from tests.chaos.faults.disk import small_disk
from tests.chaos.faulty import NAMES, STEPS
from tests.chaos.target import running_target
from tests.load.bench.machine import allow_files
from tests.load.bench.report import table_lines
from tests.machines.postgres import running_postgres

LAGS = "SELECT id, resolved_at - closes_at FROM games_turn WHERE state = 'resolved'"
PAGE = ROOT / "docs" / "generated" / "faults.md"
PAGE_HEAD = """\
# Injected faults

<!-- Written by `make chaos ARGS=--write-table`. Edits here are lost. -->

The last campaign of the [chaos tests](../reliability.md#chaos-tests). *Times* is how often a fault was
injected, *turns* how many turns it affected, *acknowledged* the ballots in them. *Longest outage* is the
longest time from the start of the fault until every phone was connected and up to date, *recovery* from its
end. *Close lag* is the time from the deadline until the turn was resolved, p50 / p99. *Test* names the fault
in `tests/chaos`.
"""
VALKEY_RESTARTS = ("Valkey killed", "Valkey killed during a close")
ONE_PROCESS_KILLED = (
    *(f"{part} killed" for part in ("gateway", "worker", "scheduler")),
    *(f"{part} killed during a close" for part in ("gateway", "scheduler")),
    *(f"closing process killed {step}" for step in STEPS),
)
HEAD = (
    *("fault", "times", "turns", "acknowledged", "lost", "duplicated", "wrong"),
    *("longest outage", "recovery", "close lag", "test"),
)
SPARE_FILES = 512
LEAST_TURNS, LEAST_S = 20, 120.0
SEPARATE = (DISK, CLOCKS)


@dataclass
class Row:
    """One fault; `lag_ms` is the time from the deadline of its turns to their resolution."""

    fault: str
    cells: list[str]
    recovery_s: float
    never_recovered: int
    lag_ms: Spread | None


@dataclass
class Result:
    """The campaigns of a run so far. `healthy_lag_ms` is from before the first fault of the first one."""

    setup: str
    counts: Counter[str] = field(default_factory=Counter)
    healthy_lag_ms: Spread | None = None
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    def add(self, campaign: Campaign) -> None:
        turns, found = set(campaign.monitor.turns), campaign.findings
        lags = {turn: lag for turn, lag in campaign.target.rows(LAGS) if turn in turns}
        self.counts.update(
            turns=len(lags),
            faulted=len(campaign.faulted),
            acknowledged=campaign.audit.acknowledged(turns),
            unexpected=campaign.journal.unexpected,
            lost=sum(finding.kind == "lost" for finding in found),
            wrong=len({finding.turn for finding in found if finding.kind != "lost"}),
        )
        self.healthy_lag_ms = self.healthy_lag_ms or _spread(lags, campaign.baseline)
        for fault in campaign.faults:
            if injected := [one for one in campaign.injected if one.fault == fault.name]:
                self.rows.append(_row(campaign, fault.source, injected, lags))
        impossible = campaign.not_applicable.items()
        self.notes += [f"not possible in this setup: {name}: {why}" for name, why in impossible]
        self.findings += [f"{kind}: turn {turn}: {text}" for kind, turn, text in found]

    @property
    def passed(self) -> bool:
        never = any(row.never_recovered for row in self.rows)
        return not (self.findings or self.counts["unexpected"] or never)

    def lines(self) -> Iterator[str]:
        yield from table_lines(("goal", "at most", "measured"), self._goals())
        yield ""
        yield from table_lines(HEAD, (row.cells for row in self.rows))
        yield ""
        of = self.counts
        yield (
            f"{'PASSED' if self.passed else 'FAILED'}: {self.setup}. "
            f"{of['faulted']:,} turns with a fault of {of['turns']:,}; {of['acknowledged']:,} ballots "
            f"acknowledged; lost: {of['lost']}, duplicated or wrong: {of['wrong']}; "
            f"unexpected frames and rejections: {of['unexpected']}. "
            f"Close lag before the first fault: {_lag(self.healthy_lag_ms)}."
        )
        yield from self.notes
        yield from self.findings[:40]

    def _goals(self) -> Iterator[tuple[str, str, str]]:
        yield "acknowledged ballots lost", "0", str(self.counts["lost"])
        yield "turns duplicated or wrong", "0", str(self.counts["wrong"])
        killed, restarted = (
            [row.lag_ms for row in self.rows if row.fault in faults]
            for faults in (ONE_PROCESS_KILLED, VALKEY_RESTARTS)
        )
        for what, most, lags in (
            ("before the first fault", "250 ms", [self.healthy_lag_ms]),
            ("after a process was killed", "2,000 ms", killed),
            ("after Valkey was restarted", "5,000 ms", restarted),
        ):
            yield f"close lag p99, {what}", most, _worst(lag.p99 for lag in lags if lag)
        recoveries = (row.recovery_s * 1000 for row in self.rows)
        yield "recovery of every phone, after any fault", "10,000 ms", _worst(recoveries)


def _row(campaign: Campaign, test: str, injected: Sequence[InjectedFault], lags: dict[int, int]) -> Row:
    turns = set().union(*(one.turns for one in injected))
    closed = set().union(*(one.closed for one in injected))
    found = {finding for one in injected for finding in one.findings}
    lost = sum(kind == "lost" for kind, _, _ in found)
    affected = (len({turn for of, turn, _ in found if of == kind}) for kind in ("duplicated", "wrong"))
    counts = (len(injected), len(turns), campaign.audit.acknowledged(turns), lost, *affected)
    outage_s = max(one.outage_s for one in injected)
    recovery_s = max(one.recovery_s for one in injected)
    never_recovered = sum(one.recovered_at is None for one in injected)
    never = f" ({never_recovered} never)" if never_recovered else ""
    lag_ms = None if turns <= campaign.audit.set_in else _spread(lags, closed)
    seconds = f"{outage_s:.1f} s", f"{recovery_s:.1f} s{never}"
    cells = [injected[0].fault, *map("{:,}".format, counts), *seconds, _lag(lag_ms), f"`{test}`"]
    return Row(injected[0].fault, cells, recovery_s, never_recovered, lag_ms)


def _spread(lags: dict[int, int], turns: set[int]) -> Spread | None:
    return Samples(max(0, lags[turn]) for turn in turns if turn in lags).spread()


def _worst(times: Iterable[float]) -> str:
    return f"{max(found):,.0f} ms" if (found := list(times)) else "-"


def _lag(spread: Spread | None) -> str:
    return f"{spread.p50:.0f} / {spread.p99:.0f} ms" if spread else "-"


def main() -> None:
    """Run one campaign after another, since the clock and disk faults need their own setup."""
    options = _read_options()
    interrupt_on_signals()
    allow_files(2 * options.phones + SPARE_FILES)
    database = "PostgreSQL" if options.postgres else "SQLite"
    setup = f"seed {options.seed}, {options.server}, {database}, mutant: {options.mutant or 'none'}, "
    setup += f"{options.phones} phones in {options.events} events"
    result = Result(setup)
    print(f"{setup}, {len(options.faults)} faults", flush=True)
    home = Path(tempfile.mkdtemp(prefix="crowdgame-chaos-"))
    for kind in ("", *SEPARATE):
        if faults := [one for one in options.faults if kind == one.family * (one.family in SEPARATE)]:
            _play_campaign(options, home / (kind or "all"), kind, faults, result)
    print("", *result.lines(), sep="\n")
    if options.write_table:
        PAGE.write_text("\n".join([PAGE_HEAD, *result.lines(), ""]), encoding="utf-8")
    if not result.passed:
        sys.exit(f"Logs and databases are in {home}")
    shutil.rmtree(home, ignore_errors=True)


def _play_campaign(options: Namespace, home: Path, kind: str, faults: list[Fault], result: Result) -> None:
    home.mkdir()
    share = len(faults) / len(options.faults)
    with ExitStack() as held:
        url = held.enter_context(running_postgres()).new_database() if options.postgres else ""
        disk = held.enter_context(small_disk(home / "disk", 384)) if kind == DISK else None
        setup = {"server": options.server, "gateways": options.gateways, "database_url": url}
        setup |= {"timed": kind == CLOCKS, "disk": disk, "shards": 1 if kind == CLOCKS else options.shards}
        setup |= {"mutant": options.mutant, "large_turn": options.large_turn}
        target = held.enter_context(running_target(home, **setup))
        size = Size(
            options.events,
            options.phones,
            max(round(options.turns * share), LEAST_TURNS),
            max(options.minutes * 60 * share, LEAST_S),
            baseline_s=0.0 if kind else options.minutes,  # a second for each minute
            together=options.together,
        )
        campaign = Campaign(target, size, faults, Random(options.seed))
        campaign.play()
        result.add(campaign)


def _read_options() -> Namespace:
    parser = ArgumentParser(
        prog="python -m tests.chaos",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
        epilog="The faults:\n  " + "\n  ".join(catalog()),
    )
    parser.add_argument("--seed", type=int, help="of faults, timing and phones (default: random)")
    parser.add_argument("--turns", type=int, default=1_000, help="turns with a fault (default: %(default)s)")
    parser.add_argument("--phones", type=int, default=500, help="in total (default: %(default)s)")
    parser.add_argument("--events", type=int, default=10, help="concurrent (default: %(default)s)")
    parser.add_argument("--together", action="store_true", help="all events share a deadline at each fault")
    parser.add_argument("--large-turn", type=int, default=0, help="ballots of a turn that is prepared early")
    parser.add_argument("--shards", type=int, default=1, help="of the ballot box; several: on three nodes")
    parser.add_argument("--minutes", type=float, default=45.0, help="at most (default: %(default)g)")
    parser.add_argument("--faults", default="", metavar="NAME,NAME", help="only these")
    parser.add_argument("--server", choices=SERVERS, default=SERVERS[0], help="default: %(default)s")
    parser.add_argument("--gateways", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL instead of SQLite")
    parser.add_argument("--mutant", choices=NAMES, default="", help="remove this safeguard from the product")
    parser.add_argument("--write-table", action="store_true", help="write docs/generated/faults.md")
    options = parser.parse_args()
    options.seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    known = catalog()
    names = options.faults.split(",") if options.faults else list(known)
    if unknown := set(names) - set(known):
        parser.error(f"there is no fault {', '.join(unknown)}")
    options.faults = [known[name] for name in names]
    return options


if __name__ == "__main__":
    main()

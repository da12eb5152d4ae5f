"""The result of a run: one row per fault, and the close lags; as lines, and as docs/generated/faults.md."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from crowdgame.rehearsal.samples import Samples, Spread
from crowdgame.server.laptop.paths import ROOT
from tests.chaos.campaign import Campaign, InjectedFault
from tests.chaos.points import STEPS
from tests.load.bench.report import table_lines

SUMMED = (
    *("minutes", "turns", "faulted_turns", "acknowledged", "lost", "duplicated_or_wrong", "unexpected"),
    *("rows", "findings"),
)
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
SHOWN_FINDINGS = 40
VALKEY_RESTARTS = ("Valkey killed", "Valkey killed during a close")
ONE_PROCESS_KILLED = (
    *(
        "gateway killed",
        "worker killed",
        "scheduler killed",
        "gateway killed during a close",
        "scheduler killed during a close",
    ),
    *(f"closing process killed {step}" for step in STEPS),
)
COUNTS = ("times", "turns", "acknowledged", "lost", "duplicated", "wrong")
HEAD = ("fault", *COUNTS, "longest outage", "recovery", "close lag", "test")


class Row(msgspec.Struct, frozen=True):
    """One fault. `lag_ms`: time from deadline to resolution of the affected turns.

    `outage_s`: the longest time from the start of the fault until all phones had recovered; `recovery_s`:
    the longest from its end; `never_recovered`: how often they did not recover in time.
    """

    fault: str
    test: str
    times: int
    turns: int
    acknowledged: int
    lost: int
    duplicated: int
    wrong: int
    outage_s: float
    recovery_s: float
    never_recovered: int
    lag_ms: Spread | None


class Result(msgspec.Struct, frozen=True):
    seed: int
    server: str
    database: str
    mutant: str
    phones: int
    events: int
    minutes: float
    turns: int
    faulted_turns: int
    acknowledged: int
    lost: int
    duplicated_or_wrong: int
    unexpected: int
    healthy_lag_ms: Spread | None
    rows: tuple[Row, ...]
    not_applicable: dict[str, str]
    findings: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.findings and not self.unexpected and not any(row.never_recovered for row in self.rows)

    def write(self, path: Path) -> None:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self)))


class RunInfo(msgspec.Struct, frozen=True):
    """The setup of a run."""

    seed: int
    server: str
    database: str
    mutant: str


def build_result(campaign: Campaign, run_info: RunInfo, minutes: float) -> Result:
    """The result of one campaign, which took `minutes`."""
    turns = set(campaign.monitor.turns)
    findings = campaign.findings
    lags = _lags(campaign, turns)
    return Result(
        **msgspec.structs.asdict(run_info),
        phones=campaign.size.phones,
        events=campaign.size.events,
        minutes=round(minutes, 1),
        turns=len(lags),
        faulted_turns=len(campaign.faulted),
        acknowledged=campaign.audit.acknowledged(turns),
        lost=sum(finding.kind == "lost" for finding in findings),
        duplicated_or_wrong=len({finding.turn for finding in findings if finding.kind != "lost"}),
        unexpected=campaign.journal.unexpected,
        healthy_lag_ms=_spread(lags, campaign.baseline),
        rows=tuple(_rows(campaign, lags)),
        not_applicable=dict(campaign.not_applicable),
        findings=tuple(f"{found.kind}: turn {found.turn}: {found.text}" for found in findings),
    )


def merge(results: Sequence[Result]) -> Result:
    """Merge campaigns with the same setup; turns without a fault are those of the first."""
    first, *others = results
    for other in others:
        sums = {name: getattr(first, name) + getattr(other, name) for name in SUMMED}
        first = msgspec.structs.replace(
            first, **sums, not_applicable=first.not_applicable | other.not_applicable
        )
    return first


def _rows(campaign: Campaign, lags: dict[int, int]) -> Iterable[Row]:
    for fault in campaign.faults:
        injected = [one for one in campaign.injected if one.fault == fault.name]
        if injected:
            yield _row(campaign, fault.source, injected, lags)


def _row(campaign: Campaign, test: str, injected: Sequence[InjectedFault], lags: dict[int, int]) -> Row:
    turns = set().union(*(one.turns for one in injected))
    closed = set().union(*(one.closed for one in injected))
    found = {finding for one in injected for finding in one.findings}
    return Row(
        fault=injected[0].fault,
        test=test,
        times=len(injected),
        turns=len(turns),
        acknowledged=campaign.audit.acknowledged(turns),
        lost=sum(kind == "lost" for kind, _, _ in found),
        duplicated=len({turn for kind, turn, _ in found if kind == "duplicated"}),
        wrong=len({turn for kind, turn, _ in found if kind == "wrong"}),
        outage_s=round(max(one.outage_s for one in injected), 1),
        recovery_s=round(max(one.recovery_s for one in injected), 1),
        never_recovered=sum(one.recovered_at is None for one in injected),
        lag_ms=None if turns <= campaign.audit.set_in else _spread(lags, closed),
    )


def _lags(campaign: Campaign, turns: Iterable[int]) -> dict[int, int]:
    """The lags of the resolved turns."""
    rows = campaign.target.server.rows(LAGS)
    return {turn: lag for turn, lag in rows if turn in turns}


def _spread(lags: dict[int, int], turns: set[int]) -> Spread | None:
    return Samples(max(0, lags[turn]) for turn in turns if turn in lags).spread()


def format_result(result: Result) -> Iterator[str]:
    yield from table(result)
    yield ""
    yield from goals(result)
    yield ""
    yield summary(result)
    for name, why in result.not_applicable.items():
        yield f"not possible in this setup: {name}: {why}"
    yield from result.findings[:SHOWN_FINDINGS]
    if len(result.findings) > SHOWN_FINDINGS:
        yield f"… and {len(result.findings) - SHOWN_FINDINGS} more"


def summary(result: Result) -> str:
    mutant = f" Mutant: {result.mutant}." if result.mutant else ""
    return (
        f"{'PASSED' if result.passed else 'FAILED'}: seed {result.seed}, {result.server}, {result.database}, "
        f"{result.phones} phones in {result.events} events, {result.minutes:.0f} minutes. "
        f"{result.faulted_turns:,} turns with a fault of {result.turns:,}; {result.acknowledged:,} ballots "
        f"acknowledged; lost: {result.lost}, duplicated or wrong: {result.duplicated_or_wrong}; "
        f"unexpected frames and rejections: {result.unexpected}. "
        f"Close lag before the first fault: {_lag(result.healthy_lag_ms)}.{mutant}"
    )


def table(result: Result) -> Iterator[str]:
    """In Markdown. The lag is p50 / p99 in milliseconds."""
    return table_lines(HEAD, map(_cells, result.rows))


def _cells(row: Row) -> list[str]:
    numbers = (row.times, row.turns, row.acknowledged, row.lost, row.duplicated, row.wrong)
    never = f" ({row.never_recovered} never)" if row.never_recovered else ""
    seconds = (f"{row.outage_s:.1f} s", f"{row.recovery_s:.1f} s{never}")
    return [row.fault, *(f"{number:,}" for number in numbers), *seconds, _lag(row.lag_ms), f"`{row.test}`"]


def goals(result: Result) -> Iterator[str]:
    """The goals as Markdown, each with the worst measurement."""
    after_kills = [row.lag_ms.p99 for row in result.rows if row.lag_ms and row.fault in ONE_PROCESS_KILLED]
    after_restarts = [row.lag_ms.p99 for row in result.rows if row.lag_ms and row.fault in VALKEY_RESTARTS]
    healthy = [result.healthy_lag_ms.p99] if result.healthy_lag_ms else []
    recoveries = [row.recovery_s * 1000 for row in result.rows]
    rows = (
        ("acknowledged ballots lost", "0", str(result.lost)),
        ("turns duplicated or wrong", "0", str(result.duplicated_or_wrong)),
        ("close lag p99, before the first fault", "250 ms", _worst(healthy)),
        ("close lag p99, after a process was killed", "2,000 ms", _worst(after_kills)),
        ("close lag p99, after Valkey was restarted", "5,000 ms", _worst(after_restarts)),
        ("recovery of every phone, after any fault", "10,000 ms", _worst(recoveries)),
    )
    return table_lines(("goal", "at most", "measured"), rows)


def _worst(times: list[float]) -> str:
    return f"{max(times):,.0f} ms" if times else "-"


def _lag(spread: Spread | None) -> str:
    return f"{spread.p50:.0f} / {spread.p99:.0f} ms" if spread else "-"


def write_table(result: Result) -> None:
    """Replace the page."""
    lines = [PAGE_HEAD, *goals(result), "", *table(result), "", summary(result), ""]
    PAGE.write_text("\n".join(lines), encoding="utf-8")

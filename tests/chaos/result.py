"""The result of a run: one row per fault, and the close lags."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from crowdgame.rehearsal.samples import Samples, Spread
from tests.chaos.campaign import Campaign, InjectedFault

SUMMED = (
    *("minutes", "turns", "faulted_turns", "acknowledged", "lost", "duplicated_or_wrong", "unexpected"),
    *("rows", "findings"),
)
LAGS = "SELECT id, resolved_at - closes_at FROM games_turn WHERE state = 'resolved'"


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
    findings = list(campaign.findings.values())
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
    found = {(f.kind, f.turn, f.text) for one in injected for f in one.findings}
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

"""The result of a run: one row per fault, and the close lags."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from crowdgame.rehearsal.samples import Samples, Spread
from tests.chaos.campaign import Campaign, Struck
from tests.chaos.catalog import place_of

ADDED = (
    *("minutes", "turns", "faulted_turns", "acknowledged", "lost", "double_or_wrong", "misunderstood"),
    *("rows", "findings"),
)
LAGS = "SELECT id, resolved_at - closes_at FROM games_turn WHERE state = 'resolved'"


class Row(msgspec.Struct, frozen=True):
    """One fault. `lag_ms`: time from deadline to resolution of the affected turns.

    `outage_s`: the longest time from the start of the fault until all phones had recovered; `right_after_s`:
    the longest from its end; `never_right`: how often they did not recover in time.
    """

    fault: str
    test: str
    times: int
    turns: int
    acknowledged: int
    lost: int
    double: int
    wrong: int
    outage_s: float
    right_after_s: float
    never_right: int
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
    double_or_wrong: int
    misunderstood: int
    healthy_lag_ms: Spread | None
    rows: tuple[Row, ...]
    not_here: dict[str, str]
    findings: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.findings and not self.misunderstood and not any(row.never_right for row in self.rows)

    def write(self, path: Path) -> None:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self)))


class Setting(msgspec.Struct, frozen=True):
    """The setup of a run."""

    seed: int
    server: str
    database: str
    mutant: str


def result_of(campaign: Campaign, setting: Setting, minutes: float) -> Result:
    """The result of one campaign, which took `minutes`."""
    turns = set(campaign.watch.turns)
    findings = list(campaign.findings.values())
    lags = _lags(campaign, turns)
    return Result(
        **msgspec.structs.asdict(setting),
        phones=campaign.size.phones,
        events=campaign.size.events,
        minutes=round(minutes, 1),
        turns=len(lags),
        faulted_turns=len(campaign.faulted),
        acknowledged=campaign.audit.acknowledged(turns),
        lost=sum(finding.kind == "lost" for finding in findings),
        double_or_wrong=len({finding.turn for finding in findings if finding.kind != "lost"}),
        misunderstood=campaign.book.misunderstood,
        healthy_lag_ms=_spread(lags, campaign.calm),
        rows=tuple(_rows(campaign, lags)),
        not_here=dict(campaign.not_here),
        findings=tuple(f"{found.kind}: turn {found.turn}: {found.text}" for found in findings),
    )


def together(results: Sequence[Result]) -> Result:
    """Merge campaigns with the same setting; turns without a fault are those of the first."""
    first, *others = results
    for other in others:
        sums = {name: getattr(first, name) + getattr(other, name) for name in ADDED}
        first = msgspec.structs.replace(first, **sums, not_here=first.not_here | other.not_here)
    return first


def _rows(campaign: Campaign, lags: dict[int, int]) -> Iterable[Row]:
    for fault in campaign.faults:
        struck = [one for one in campaign.struck if one.fault == fault.name]
        if struck:
            yield _row(campaign, place_of(fault), struck, lags)


def _row(campaign: Campaign, test: str, struck: Sequence[Struck], lags: dict[int, int]) -> Row:
    turns = set().union(*(one.turns for one in struck))
    closed = set().union(*(one.closed for one in struck))
    found = {(f.kind, f.turn, f.text) for one in struck for f in one.findings}
    return Row(
        fault=struck[0].fault,
        test=test,
        times=len(struck),
        turns=len(turns),
        acknowledged=campaign.audit.acknowledged(turns),
        lost=sum(kind == "lost" for kind, _, _ in found),
        double=len({turn for kind, turn, _ in found if kind == "double"}),
        wrong=len({turn for kind, turn, _ in found if kind == "wrong"}),
        outage_s=round(max(one.outage_s for one in struck), 1),
        right_after_s=round(max(one.right_after_s for one in struck), 1),
        never_right=sum(one.right is None for one in struck),
        lag_ms=None if turns <= campaign.audit.set_in else _spread(lags, closed),
    )


def _lags(campaign: Campaign, turns: Iterable[int]) -> dict[int, int]:
    """The lags of the resolved turns."""
    rows = campaign.target.server.rows(LAGS)
    return {turn: lag for turn, lag in rows if turn in turns}


def _spread(lags: dict[int, int], turns: set[int]) -> Spread | None:
    return Samples(max(0, lags[turn]) for turn in turns if turn in lags).spread()

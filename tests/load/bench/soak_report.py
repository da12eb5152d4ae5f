"""A soak test on the terminal, as JSON, and as `docs/generated/soak.md`."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from deploy.laptop.paths import ROOT
from tests.load.bench.report import about_lines, table_lines
from tests.load.bench.soak_readings import Reading
from tests.load.bench.soak_verdicts import Soak, Verdict

PAGE = ROOT / "docs" / "generated" / "soak.md"
HEAD = """\
# Soak test

<!-- Written by `make soak`. Edits here are lost. -->

How these figures are measured, and what they mean: [performance](../performance.md).
"""
ROWS = 12
HEADINGS = (
    "Minute",
    "Phones",
    "Gateways, KiB per phone",
    "Worker, schedulers, Valkey, MiB",
    "Open files",
    "CPU µs per ballot: gateways, all",
    "Broadcast",
    "Ack p99",
    "Reveal p99",
    "Lost",
)
JUDGED = ("Measurement", "Mean", "Per hour", "Growth", "Limit", "")
MARKS = {True: "flat", False: "grows", None: ""}


def format_reading(reading: Reading) -> str:
    """One line per reading during the run."""
    return " · ".join(f"{what} {cell}" for what, cell in zip(HEADINGS, _cells(reading), strict=True))


def as_json(soak: Soak, machine: dict[str, str]) -> bytes:
    run = {"machine": machine, "verdicts": soak.verdicts(), "soak": soak}
    return msgspec.json.format(msgspec.json.encode(run))


def write(soak: Soak, machine: dict[str, str], page: Path = PAGE) -> None:
    """In place of the test before."""
    page.write_text("\n".join([HEAD, *section(soak, machine), ""]), encoding="utf-8")


def section(soak: Soak, machine: dict[str, str]) -> Iterable[str]:
    setup = f"{soak.phones:,} phones, {soak.gateways} gateways of {soak.server}"
    yield f"## {machine['date']}: {setup}, {machine['cores']} cores"
    yield ""
    yield from table_lines(HEADINGS, map(_cells, _some(soak.readings)))
    yield ""
    yield from table_lines(JUDGED, map(_verdict_cells, soak.verdicts()))
    last = soak.readings[-1].crowd
    yield ""
    yield f"- {last.acknowledged:,} of {last.sent:,} ballots acknowledged, {soak.lost} lost"
    yield f"- {last.revealed} turns; reconnects: {last.reconnects}"
    yield from about_lines(machine)


def _some(readings: Sequence[Reading]) -> list[Reading]:
    """A selection that fits on a page, including the last reading."""
    step = -(-len(readings) // ROWS)
    return list(readings[::-1][::step])[::-1]


def _cells(one: Reading) -> tuple[str, ...]:
    mib = (one.rss_kib["worker"], one.scheduler_kib, one.rss_kib["valkey"])
    ack, reveal = one.crowd.ack_ms, one.crowd.reveal_ms
    return (
        f"{one.at_s / 60:.1f}",
        f"{one.crowd.connected:,}",
        f"{one.gateway_kib / max(1, one.crowd.connected):.1f}",
        ", ".join(f"{kib / 1024:.0f}" for kib in mib),
        f"{sum(one.files.values()):,}",
        f"{one.gateway_us_per_ballot:.0f}, {one.server_us_per_ballot:.0f}",
        f"{one.broadcast_ms:.0f} ms",
        f"{ack.p99:.0f} ms" if ack else "",
        f"{reveal.p99:.0f} ms" if reveal else "",
        str(one.crowd.lost + one.crowd.missing),
    )


def _verdict_cells(verdict: Verdict) -> tuple[str, ...]:
    trend = verdict.trend
    most = "" if verdict.at_most is None else f"{verdict.at_most:.0%}"
    if trend is None:
        return (verdict.what, "", "", "", most, "too short")
    return (
        verdict.what,
        f"{trend.mean:,.1f}",
        f"{trend.per_hour:+,.1f}",
        f"{trend.growth:+.1%}",
        most,
        MARKS[verdict.flat],
    )

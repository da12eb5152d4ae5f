"""The run on the terminal, as JSON, and as a section of `docs/benchmarks.md`."""

from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from deploy.laptop.paths import ROOT
from tests.load.bench.figures import Figures, Ratio, ratios_of

PAGE = ROOT / "docs" / "benchmarks.md"
HEADINGS = ("What", "Ratio", "Goal", "", "Ours", "The other")
MARKS = {True: "met", False: "missed", None: ""}


def show(found: Figures, console: Console) -> None:
    table = Table(*HEADINGS)
    for ratio in ratios_of(found):
        table.add_row(*_cells(ratio))
    console.print(table)
    for line in _notes(found):
        console.print(line)


def as_json(found: Figures, machine: dict[str, str]) -> bytes:
    run = {"machine": machine, "ratios": ratios_of(found), "figures": found}
    return msgspec.json.format(msgspec.json.encode(run))


def append(found: Figures, machine: dict[str, str], page: Path = PAGE) -> None:
    told = "\n".join(f"- {line}" for line in [*_notes(found), *_about(machine)])
    rows = [HEADINGS, ("---",) * len(HEADINGS), *(_cells(ratio) for ratio in ratios_of(found))]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    with page.open("a") as target:
        target.write(f"\n## {machine['date']}, {machine['cores']} cores\n{table}\n\n{told}\n")


def _cells(ratio: Ratio) -> tuple[str, ...]:
    shown = "" if ratio.ratio is None or not ratio.other else f"{ratio.ratio:.2f}"
    return (ratio.what, shown, ratio.goal, MARKS[ratio.met], ratio.ours, ratio.other)


def _notes(found: Figures) -> list[str]:
    ballots = found.evening.ballots
    both = found.votes | found.pages
    load = ", ".join(f"{name} {rates.load_share:.0%}" for name, rates in both.items())
    server = ", ".join(f"{name} {rates.server_share:.0%}" for name, rates in both.items())
    return [
        f"rehearsal: {ballots.acknowledged:,} of {ballots.sent:,} ballots acknowledged, {ballots.lost} lost,"
        f" the crowd took {found.evening.crowd_share:.0%} of a core",
        f"load generator's use of its core: {load} (near 100% it is what is measured)",
        f"the servers' use of theirs: {server} (below 90%, somebody else had it)",
        f"stock app: {found.memory['stock']:.1f} KiB a connection",
    ]


def _about(machine: dict[str, str]) -> list[str]:
    return [f"{name}: {value}" for name, value in machine.items() if name not in ("date", "cores")]

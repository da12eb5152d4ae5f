"""The published benchmarks describe the present code."""

import re
import subprocess
from datetime import datetime, timedelta

from crowdgame.server.laptop.paths import ROOT
from tests.load.bench.report import PAGE

PERFORMANCE = ROOT / "docs" / "performance.md"
FIGURE = re.compile(r"[\d,.]*\d (?:ms|µs|KiB)")
MAX_AGE = timedelta(days=14)
HEADING = re.compile(r"^## (\d{4}-\d\d-\d\d)", re.MULTILINE)


def test_benchmarks_are_no_older_than_two_weeks_before_last_change() -> None:
    """If this fails, run `make bench` on an idle machine."""
    heading = HEADING.search(PAGE.read_text(encoding="utf-8"))
    assert heading, "no date in the benchmarks"
    changed = subprocess.run(
        ["git", "log", "-1", "--format=%cs", "--", *("voting/gateway", "voting/ballot_box", "voting/turns")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert datetime.fromisoformat(changed) - datetime.fromisoformat(heading[1]) <= MAX_AGE


def test_results_are_those_of_the_published_run() -> None:
    page, performance = (path.read_text(encoding="utf-8") for path in (PAGE, PERFORMANCE))
    results = performance.partition("## Results")[2].partition("\n## ")[0]
    tables = "\n".join(line for line in results.splitlines() if line.startswith("|"))
    assert (quoted := FIGURE.findall(tables))
    assert [figure for figure in quoted if f"| {figure} |" not in page] == []

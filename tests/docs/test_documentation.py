"""The documentation agrees with the code: benchmarks, packages and pictures."""

import re
import subprocess
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from crowdgame.server.laptop.paths import ROOT
from tests.docs.pictures import IMAGES, linked_files
from tests.load.bench.report import PAGE

PERFORMANCE = ROOT / "docs" / "performance.md"
FIGURE = re.compile(r"[\d,.]*\d (?:ms|µs|KiB)")
MAX_AGE = timedelta(days=14)
HEADING = re.compile(r"^## (\d{4}-\d\d-\d\d)", re.MULTILINE)
GUIDE = (ROOT / "docs" / "contributing.md").read_text()
ROWS = GUIDE.split("## Package map")[1].split("| --- | --- |")[1].split("\n\n")[0]


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


def named_packages() -> Iterator[str]:
    """Yield the packages of the map. A row such as "`play/chat/`, `cups/`" names two of one folder."""
    for row in ROWS.strip().splitlines():
        first, *more = (name.strip("` /") for name in row.split("|")[1].split(","))
        yield from (first, *(name if "/" in name else f"{first.rpartition('/')[0]}/{name}" for name in more))


def packages(folder: Path) -> Iterator[str]:
    """Yield the packages with modules, but not those inside them."""
    for init in folder.glob("*/__init__.py"):
        if init.parent.name in {"management", "migrations"}:
            continue
        if len(list(init.parent.glob("*.py"))) > 1:
            yield str(init.parent.relative_to(ROOT))
        else:
            yield from packages(init.parent)


@pytest.mark.parametrize("top", ["crowdgame", "voting", "games"])
def test_package_map_names_every_package(top: str) -> None:
    assert {*packages(ROOT / top)} - {*named_packages()} == set()


def test_linked_pictures_are_the_files_of_the_images_folder() -> None:
    assert linked_files() == {path for path in IMAGES.rglob("*") if path.is_file()}


def test_pictures_are_small() -> None:
    assert {path.name for path in linked_files() if path.stat().st_size > limit_bytes(path)} == set()


def limit_bytes(path: Path) -> int:
    """Animated WebP files have an `ANIM` chunk."""
    return 1_000_000 if b"ANIM" in path.read_bytes()[:64] else 100_000

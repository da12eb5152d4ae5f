"""docs/contributing.md names every package."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crowdgame.server.laptop.paths import ROOT

GUIDE = (ROOT / "docs" / "contributing.md").read_text()
ROWS = GUIDE.split("## Package map")[1].split("| --- | --- |")[1].split("\n\n")[0]


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

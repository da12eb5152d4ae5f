"""docs/contributing.md names every package."""

from collections.abc import Iterator

import pytest

from deploy.laptop.paths import ROOT

GUIDE = (ROOT / "docs" / "contributing.md").read_text()
ROWS = GUIDE.split("## Package map")[1].split("| --- | --- |")[1].split("\n\n")[0]


def named_packages() -> Iterator[str]:
    """Yield the packages of the map. A row such as "`crowdgame/play/chat/`, `cups/`" names two of one package."""
    for row in ROWS.strip().splitlines():
        first, *more = (name.strip("` /") for name in row.split("|")[1].split(","))
        yield from (first, *(name if "/" in name else f"{first.split('/')[0]}/{name}" for name in more))


@pytest.mark.parametrize("top", ["crowdgame", "voting", "games"])
def test_package_map_names_every_package(top: str) -> None:
    packages = {f"{top}/{path.parent.name}" for path in (ROOT / top).glob("*/__init__.py")}
    plumbing = {f"{top}/management", f"{top}/migrations"}
    assert packages - plumbing - {*named_packages()} == set()

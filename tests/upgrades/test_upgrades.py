"""Data of earlier versions in SQLite, as `make play` keeps it."""

from pathlib import Path

import pytest

from tests.upgrades.checks import assert_upgraded
from tests.upgrades.release import RELEASES, Release, upgraded_server


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_running_matches_survive_upgrade(release: Release, tmp_path: Path) -> None:
    with upgraded_server(release, tmp_path / "data") as server:
        assert_upgraded(server, release, tmp_path)

"""Data of earlier versions in PostgreSQL, as servers keep it."""

from pathlib import Path

import pytest

from tests.upgrades.checks import assert_upgraded
from tests.upgrades.release import RELEASES, Release, upgraded_server


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_running_matches_survive_upgrade(release: Release, tmp_path: Path, database_url: str) -> None:
    with upgraded_server(release, tmp_path / "data", database_url) as server:
        assert_upgraded(server, release, tmp_path)

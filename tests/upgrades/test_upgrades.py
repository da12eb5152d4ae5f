"""Data of earlier versions in SQLite, as `make play` keeps it."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import migrate
from tests.run_folder import DATABASE
from tests.server import give_database
from tests.upgrades.release import RELEASES, Release, assert_columns_kept, assert_upgraded, upgraded_server

pytestmark = pytest.mark.nightly

BETWEEN_DEFINITIONS = re.compile(r', (?="\w+" [a-z]|CONSTRAINT)')


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_running_matches_survive_upgrade(release: Release, tmp_path: Path) -> None:
    with upgraded_server(release, tmp_path / "data") as server:
        assert_upgraded(server, release, tmp_path)


def test_columns_are_carried_over(tmp_path: Path) -> None:
    assert_columns_kept(Stack(data=tmp_path, secret_key="of the tests", port=0))


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_upgraded_schema_is_that_of_a_new_database(release: Release, tmp_path: Path) -> None:
    upgraded, new = (Stack(data=tmp_path / name, secret_key="x", port=0) for name in ("old", "new"))
    release.load_database(upgraded)
    migrate(upgraded)
    give_database(new)
    assert schema(upgraded) == schema(new)


def schema(stack: Stack) -> list[tuple[str, list[str]]]:
    """Tables and indexes with their definitions, sorted: an upgrade adds columns at the end."""
    sql = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
    with closing(sqlite3.connect(stack.data / DATABASE)) as database:
        texts = [(name, text.partition("(")[2].removesuffix(")")) for name, text in database.execute(sql)]
    return [(name, sorted(BETWEEN_DEFINITIONS.split(text))) for name, text in texts]

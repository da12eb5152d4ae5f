"""Restore a running event on PostgreSQL from a backup, with or without the old data."""

from collections.abc import Iterator

import psycopg
import pytest

from crowdgame.server.laptop.stack import Stack
from tests.machines.postgres import Postgres
from tests.restore_helpers import Lost, RestoredEvent, RestoreTests, lose_event, restored_event


def everything(stack: Stack) -> None:
    """Empty the database."""
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")


def nothing(stack: Stack) -> None:
    """Keep the database with the turns that the restore replaces."""
    with psycopg.connect(stack.database_url) as connection:
        assert connection.execute("SELECT id FROM games_turn").fetchall()


def copy_of(database_url: str, name: str, postgres: Postgres) -> str:
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {database_url.rpartition('/')[2]}".encode())
    return postgres.url(name)


@pytest.fixture(scope="module")
def lost(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Lost:
    return lose_event(tmp_path_factory.mktemp("lost"), postgres.new_database())


@pytest.fixture(scope="module", params=[everything, nothing], ids=lambda lose: lose.__name__)
def restored(
    request: pytest.FixtureRequest, lost: Lost, postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RestoredEvent]:
    database_url = copy_of(lost.stack.database_url, f"without_{request.param.__name__}", postgres)
    copy = lost.copied(tmp_path_factory.mktemp("restore") / "data", database_url)
    request.param(copy.stack)
    with restored_event(copy) as restored:
        yield restored


class TestOnPostgres(RestoreTests):
    def test_restore_creates_no_sqlite_file(self, restored: RestoredEvent) -> None:
        assert not (restored.server.stack.data / "db.sqlite3").exists()

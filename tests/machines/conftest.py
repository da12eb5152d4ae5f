"""Fixtures for deployment tests: one PostgreSQL per run, one empty database per test."""

from collections.abc import Iterator

import pytest

from tests.machines.postgres import Postgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server per run. A test that restarts it uses its own `running_postgres`."""
    with running_postgres() as postgres:
        yield postgres


@pytest.fixture
def database_url(postgres: Postgres) -> str:
    return postgres.new_database()

"""What the tests of many machines share: a PostgreSQL for the run, an empty database a test."""

from collections.abc import Iterator

import pytest

from tests.machines.postgres import Postgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One for the whole run; whoever restarts it takes a `running_postgres` of their own."""
    with running_postgres() as postgres:
        yield postgres


@pytest.fixture
def database_url(postgres: Postgres) -> str:
    """The address of an empty database."""
    return postgres.new_database()

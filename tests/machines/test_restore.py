"""An evening on PostgreSQL is lost in the middle, with or without its data, and goes on from a backup."""

from collections.abc import Iterator

import psycopg
import pytest

from deploy.laptop.stack import Stack
from tests import restoring
from tests.machines.postgres import Postgres
from tests.restoring import Evening, evening_begun_anew


def everything(stack: Stack) -> None:
    """The database is empty."""
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")


def nothing(stack: Stack) -> None:
    """The database is there, with what is to be lost."""
    with psycopg.connect(stack.database_url) as connection:
        assert connection.execute("SELECT id FROM games_turn").fetchall()


@pytest.fixture(scope="module", params=[everything, nothing], ids=lambda lose: lose.__name__)
def evening(
    request: pytest.FixtureRequest, postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Evening]:
    data = tmp_path_factory.mktemp("restore")
    with evening_begun_anew(data, postgres.new_database(), request.param) as evening:
        yield evening


def test_the_match_goes_on_from_the_backup(evening: Evening) -> None:
    restoring.assert_it_goes_on_from_the_backup(evening)


def test_the_turn_that_was_open_is_voted_anew_by_another_lot(evening: Evening) -> None:
    restoring.assert_the_open_turn_was_voted_anew(evening)


def test_every_ballot_acknowledged_since_counts(evening: Evening) -> None:
    restoring.assert_every_ballot_acknowledged_since_counts(evening)


def test_the_crowd_comes_back_to_its_old_seats(evening: Evening) -> None:
    restoring.assert_the_crowd_has_its_old_seats(evening)


def test_screens_that_were_there_before_take_what_they_are_told(evening: Evening) -> None:
    restoring.assert_screens_of_before_take_what_they_are_told(evening)


def test_nothing_is_in_a_file(evening: Evening) -> None:
    assert not (evening.house.stack.data / "db.sqlite3").exists()

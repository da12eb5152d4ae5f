"""An evening on SQLite is lost in the middle, with or without its data, and goes on from a backup."""

import shutil
from collections.abc import Iterator

import pytest

from deploy.laptop.stack import Stack
from tests import restoring
from tests.restoring import Evening, evening_begun_anew


def everything(stack: Stack) -> None:
    """The disk is gone: the key is in the environment."""
    for path in [*stack.data.glob("db.sqlite3*")]:
        path.unlink()
    shutil.rmtree(stack.data / "valkey")


def nothing(stack: Stack) -> None:
    """The disk is there, with all that the ballot box kept of what is to be lost."""
    assert (stack.data / "db.sqlite3").exists()
    assert (stack.data / "valkey").exists()


LOST = {everything: ("--box-is-empty",), nothing: ()}


@pytest.fixture(scope="module", params=LOST, ids=lambda lose: lose.__name__)
def evening(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    data = tmp_path_factory.mktemp("restore")
    with evening_begun_anew(data, "", request.param, *LOST[request.param]) as evening:
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


def test_what_was_there_before_is_kept_beside_it(evening: Evening) -> None:
    data = evening.house.stack.data
    kept = [path.name[:14] for path in data.glob("*before-restore-*")]
    assert sorted(kept) in ([], ["before-restore", "valkey-before-"])

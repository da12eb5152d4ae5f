"""Ballots of long windows in the database: the newest of each voter, whoever brings it and when."""

import time

import pytest
from django.db import connection, transaction

from tests.voting.match_helpers import start
from voting.ballot_box.archive import store_ballots, stored_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import DATABASE_AWAY
from voting.counting.ballots import Ballot

pytestmark = pytest.mark.django_db


def test_a_late_older_ballot_does_not_replace_a_newer(box: BallotBox) -> None:
    turn = start(box)
    store_ballots(turn.pk, [Ballot("ada", "red", 5, 2)], now=2_000)
    store_ballots(turn.pk, [Ballot("ada", "red", 1, 1), Ballot("bob", "yellow", 3, 1)], now=3_000)
    assert stored_ballots(turn) == (Ballot("ada", "red", 5, 2), Ballot("bob", "yellow", 3, 1))


def test_of_one_voters_ballots_in_one_batch_the_newest_stays(box: BallotBox) -> None:
    turn = start(box)
    store_ballots(turn.pk, [Ballot("ada", "red", 1, 1), Ballot("ada", "red", 7, 3)], now=1_000)
    assert stored_ballots(turn) == (Ballot("ada", "red", 7, 3),)


def test_the_order_within_a_batch_says_nothing_of_the_voters(box: BallotBox) -> None:
    """Whoever reads the opened lists of two turns finds no voter in the same place for being the same."""
    turn, voters = start(box), ("mm", "zz", "aa", "kk")
    blinds = [f"{place:032x}" for place in (3, 1, 2, 0)]
    batch = [Ballot(v, "red", 1, 1, 0, blind) for v, blind in zip(voters, blinds, strict=True)]
    store_ballots(turn.pk, batch[:3], now=1_000)
    store_ballots(turn.pk, batch[3:], now=2_000)
    assert [ballot.voter for ballot in stored_ballots(turn)] == ["zz", "aa", "mm", "kk"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such moments")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "why", ["SET TRANSACTION READ ONLY", "SET LOCAL idle_in_transaction_session_timeout = 50"]
)
def test_a_server_that_writes_nothing_now_is_away(why: str, box: BallotBox) -> None:
    turn, ballot = start(box), Ballot("ada", "red", 1, 1)

    @transaction.atomic
    def store_meanwhile() -> None:
        with connection.cursor() as cursor:
            cursor.execute(why)
        time.sleep(0.3)
        store_ballots(turn.pk, [ballot], now=1_000)

    with pytest.raises(DATABASE_AWAY):
        store_meanwhile()
    connection.close()
    store_ballots(turn.pk, [ballot], now=1_000)
    assert stored_ballots(turn) == (ballot,)

import time

import pytest
from django.db import connection, transaction

from tests.voting.match_helpers import start
from voting.ballot_box.archive import load_stored_ballots, store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.counting.ballots import Ballot

pytestmark = pytest.mark.django_db


def test_store_ballots_keeps_newest_of_each_voter(box: BallotBox) -> None:
    turn, other_turn, bob = start(box), start(box), Ballot("bob", "yellow", 3, 1)
    store_ballots(turn.pk, [Ballot("ada", "red", 5, 2)], now=2_000)
    store_ballots(turn.pk, [Ballot("ada", "red", 1, 1), bob], now=3_000)
    assert load_stored_ballots(turn) == (Ballot("ada", "red", 5, 2), bob)
    store_ballots(other_turn.pk, [Ballot("ada", "red", 1, 1), Ballot("ada", "red", 7, 3)], now=1_000)
    assert load_stored_ballots(other_turn) == (Ballot("ada", "red", 7, 3),)


def test_store_ballots_orders_batch_by_blind_not_voter(box: BallotBox) -> None:
    """Comparing the published lists of two turns by position must not identify a voter."""
    turn, voters = start(box), ("mm", "zz", "aa", "kk")
    blinds = [f"{place:032x}" for place in (3, 1, 2, 0)]
    batch = [Ballot(v, "red", 1, 1, 0, blind) for v, blind in zip(voters, blinds, strict=True)]
    store_ballots(turn.pk, batch[:3], now=1_000)
    store_ballots(turn.pk, batch[3:], now=2_000)
    assert [ballot.voter for ballot in load_stored_ballots(turn)] == ["zz", "aa", "mm", "kk"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such states")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "statement", ["SET TRANSACTION READ ONLY", "SET LOCAL idle_in_transaction_session_timeout = 50"]
)
def test_store_ballots_treats_read_only_database_as_away(statement: str, box: BallotBox) -> None:
    turn, ballot = start(box), Ballot("ada", "red", 1, 1)

    @transaction.atomic
    def store_meanwhile() -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)
        time.sleep(0.3)
        store_ballots(turn.pk, [ballot], now=1_000)

    with pytest.raises(DATABASE_ERRORS):
        store_meanwhile()
    connection.close()
    store_ballots(turn.pk, [ballot], now=1_000)
    assert load_stored_ballots(turn) == (ballot,)

"""Ballots of long windows in the database: the newest of each voter, whoever brings it and when."""

import pytest

from tests.voting.playing import start
from voting.archive import store_ballots, stored_ballots
from voting.ballot_box import BallotBox
from voting.ballots import Ballot

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

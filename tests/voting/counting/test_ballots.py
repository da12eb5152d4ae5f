import msgspec
import pytest
from hypothesis import given

from tests.voting.crowds import ballot_lists
from voting.counting.ballots import Ballot, merge_ballots, pack_ballots, unpack_ballots


@given(ballot_lists, ballot_lists)
def test_a_merge_holds_each_voter_once_with_the_highest_sequence(
    sealed: list[Ballot], stored: list[Ballot]
) -> None:
    merged = merge_ballots(sealed, stored)
    highest = {
        voter: max(b.sequence for b in sealed + stored if b.voter == voter)
        for voter in {b.voter for b in sealed + stored}
    }
    assert {b.voter: b.sequence for b in merged} == highest
    assert len(merged) == len(highest)
    assert set(merged) <= set(sealed + stored)


@given(ballot_lists, ballot_lists)
def test_a_merge_may_be_made_again(sealed: list[Ballot], stored: list[Ballot]) -> None:
    merged = merge_ballots(sealed, stored)
    assert merge_ballots(merged, stored) == merged
    assert merge_ballots(merged, merged) == merged


@given(ballot_lists)
def test_a_merge_is_in_order_of_arrival(ballots: list[Ballot]) -> None:
    arrivals = [ballot.arrival for ballot in merge_ballots(ballots, ())]
    assert arrivals == sorted(arrivals)


def test_of_two_copies_of_a_ballot_the_sealed_one_stays_since_it_knows_when_it_arrived() -> None:
    sealed, stored = Ballot("v", "red", 3, 2, arrival=9), Ballot("v", "red", 3, 2)
    assert merge_ballots([sealed], [stored]) == (sealed,)


def test_a_stored_ballot_that_is_newer_than_the_sealed_one_counts() -> None:
    newer = Ballot("v", "red", 5, 3)
    assert merge_ballots([Ballot("v", "red", 3, 2, arrival=9)], [newer]) == (newer,)


@given(ballot_lists)
def test_packed_ballots_come_out_as_they_went_in(ballots: list[Ballot]) -> None:
    assert unpack_ballots(pack_ballots(ballots)) == tuple(ballots)


def test_ballots_of_no_side_are_not_unpacked() -> None:
    packed = msgspec.msgpack.encode([["v", "blue", 1, 1, 1]])
    with pytest.raises(msgspec.ValidationError, match="blue"):
        unpack_ballots(packed)

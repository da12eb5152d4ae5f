import msgspec
import pytest
from hypothesis import given

from tests.voting.ballot_strategies import ballot_lists
from voting.counting.ballots import Ballot, merge_ballots, pack_ballots, unpack_ballots


@given(ballot_lists, ballot_lists)
def test_merge_ballots_keeps_highest_sequence_of_each_voter(
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
def test_merge_ballots_is_idempotent(sealed: list[Ballot], stored: list[Ballot]) -> None:
    merged = merge_ballots(sealed, stored)
    assert merge_ballots(merged, stored) == merged
    assert merge_ballots(merged, merged) == merged


@given(ballot_lists)
def test_merge_ballots_sorts_by_arrival(ballots: list[Ballot]) -> None:
    arrivals = [ballot.arrival for ballot in merge_ballots(ballots, ())]
    assert arrivals == sorted(arrivals)


def test_merge_ballots_prefers_sealed_copy_with_arrival() -> None:
    sealed, stored = Ballot("v", "red", 3, 2, arrival=9), Ballot("v", "red", 3, 2)
    assert merge_ballots([sealed], [stored]) == (sealed,)


def test_merge_ballots_takes_stored_ballot_newer_than_sealed() -> None:
    newer = Ballot("v", "red", 5, 3)
    assert merge_ballots([Ballot("v", "red", 3, 2, arrival=9)], [newer]) == (newer,)


@given(ballot_lists)
def test_pack_ballots_round_trips(ballots: list[Ballot]) -> None:
    assert unpack_ballots(pack_ballots(ballots)) == tuple(ballots)


def test_unpack_ballots_rejects_unknown_side() -> None:
    packed = msgspec.msgpack.encode([["v", "blue", 1, 1, 1]])
    with pytest.raises(msgspec.ValidationError, match="blue"):
        unpack_ballots(packed)

import msgspec
import pytest
from hypothesis import given

from tests.voting.ballot_strategies import ballot_lists
from voting.counting.ballots import Ballot, merge_ballots, pack_ballots, unpack_ballots


@given(ballot_lists, ballot_lists)
def test_merge_ballots_keeps_newest_of_each_voter_by_arrival(
    sealed: list[Ballot], stored: list[Ballot]
) -> None:
    merged = merge_ballots(sealed, stored)
    newest = {ballot.voter: ballot.sequence for ballot in sorted(sealed + stored, key=lambda b: b.sequence)}
    assert {ballot.voter: ballot.sequence for ballot in merged} == newest
    assert len(merged) == len(newest)
    assert set(merged) <= set(sealed + stored)
    assert merge_ballots(merged, stored) == merge_ballots(merged, merged) == merged
    arrivals = [ballot.arrival for ballot in merge_ballots(sealed, ())]
    assert arrivals == sorted(arrivals)


def test_merge_ballots_prefers_sealed_copy_with_arrival() -> None:
    sealed, stored = Ballot("v", "red", 3, 2, arrival=9), Ballot("v", "red", 3, 2)
    assert merge_ballots([sealed], [stored]) == (sealed,)


@given(ballot_lists)
def test_pack_ballots_round_trips(ballots: list[Ballot]) -> None:
    assert unpack_ballots(pack_ballots(ballots)) == tuple(ballots)
    with pytest.raises(msgspec.ValidationError, match="blue"):
        unpack_ballots(msgspec.msgpack.encode([["v", "blue", 1, 1, 1]]))

"""The commitment to a turn's ballots that is published between seal and reveal."""

from hashlib import sha256

import msgspec
from hypothesis import given

from tests.voting.ballot_strategies import sealed_ballots
from voting.counting.ballots import Ballot
from voting.counting.commitments import Commitment, ballot_leaf, commit_ballots

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_ballot_leaf_matches_documented_format() -> None:
    """`printf '\\0%s' 12:red:4:… | sha256sum` is the root of one ballot."""
    assert ballot_leaf(12, "red", 4, "ab" * 16) == b"12:red:4:" + b"ab" * 16
    one = commit_ballots(12, "red", [Ballot("v", "red", 4, 3, 9, "ab" * 16)])
    assert one == Commitment(root=sha256(b"\x0012:red:4:" + b"ab" * 16).hexdigest(), ballots=1)
    assert commit_ballots(12, "red", []) == Commitment(root=EMPTY, ballots=0)


@given(sealed_ballots(min_size=1))
def test_root_covers_turn_side_choice_order_but_not_voter(cast: tuple[Ballot, ...]) -> None:
    root = commit_ballots(1, "red", cast).root
    assert commit_ballots(1, "red", [msgspec.structs.replace(b, voter="") for b in cast]).root == root
    assert commit_ballots(2, "red", cast).root != root
    assert commit_ballots(1, "yellow", cast).root != root
    first = msgspec.structs.replace(cast[0], choice=cast[0].choice + 1)
    assert commit_ballots(1, "red", [first, *cast[1:]]).root != root

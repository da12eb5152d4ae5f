"""The commitment to a turn's ballots that is published between seal and reveal."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.voting.ballot_strategies import sealed_ballots
from voting.counting.ballots import Ballot
from voting.counting.commitments import (
    Commitment,
    arrival_order,
    ballot_leaf,
    ballot_tree,
    hash_ballots,
    sort_ballots,
)

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_ballot_leaf_matches_documented_format() -> None:
    """`printf '\\0%s' 12:red:4:… | sha256sum` is the root of one ballot."""
    assert ballot_leaf(12, "red", 4, "ab" * 16) == b"12:red:4:" + b"ab" * 16
    one = sort_ballots(12, "red", [Ballot("v", "red", 4, 3, 9, "ab" * 16)])
    assert one.commitment == Commitment(root=sha256(b"\x0012:red:4:" + b"ab" * 16).hexdigest(), ballots=1)
    assert sort_ballots(12, "red", []).commitment == Commitment(root=EMPTY, ballots=0)


def test_order_is_the_hash_of_all_leaf_hashes_as_they_arrived() -> None:
    arrived = [Ballot("v", "red", 4, 3, 9, "ab" * 16), Ballot("w", "red", 1, 1, 10, "cd" * 16)]
    leaves = [sha256(b"\0" + ballot_leaf(12, "red", b.choice, b.blind)).digest() for b in arrived]
    done = sort_ballots(12, "red", arrived, commit_order=True)
    assert done.commitment.order == sha256(leaves[0] + leaves[1]).hexdigest()


@given(sealed_ballots(min_size=1))
def test_tree_of_listed_ballots_has_their_root(cast: tuple[Ballot, ...]) -> None:
    done = sort_ballots(1, "red", cast)
    tree = ballot_tree(1, "red", [(ballot.choice, ballot.blind) for ballot in done.ballots])
    assert tree.root.hex() == done.commitment.root


@given(sealed_ballots(min_size=1))
def test_root_covers_turn_side_and_choice_but_not_voter(cast: tuple[Ballot, ...]) -> None:
    root = root_of(cast)
    assert root_of([msgspec.structs.replace(b, voter="") for b in cast]) == root
    assert sort_ballots(2, "red", cast).commitment.root != root
    assert sort_ballots(1, "yellow", cast).commitment.root != root
    first = msgspec.structs.replace(cast[0], choice=cast[0].choice + 1)
    assert root_of([first, *cast[1:]]) != root


def root_of(arrived: Sequence[Ballot]) -> str:
    return sort_ballots(1, "red", arrived).commitment.root


@given(sealed_ballots(), st.randoms(use_true_random=False))
def test_order_of_arrival_changes_order_but_not_root(cast: tuple[Ballot, ...], random: Random) -> None:
    """The server can't look for an order whose root suits it. The order has a commitment of its own."""
    blinded = [msgspec.structs.replace(b, blind=f"{n:032x}") for n, b in enumerate(cast)]
    shuffled = random.sample(blinded, len(blinded))
    one, other = (sort_ballots(1, "red", arrived, commit_order=True) for arrived in (blinded, shuffled))
    assert one.commitment.root == other.commitment.root
    assert [ballot.voter for ballot in one.ballots] == [ballot.voter for ballot in other.ballots]
    assert (one.commitment.order == other.commitment.order) == (blinded == shuffled)
    for sealed, arrived in ((one, blinded), (other, shuffled)):
        assert sealed.arrivals is not None
        assert [sealed.ballots[index].voter for index in sealed.arrivals] == [b.voter for b in arrived]
        assert arrival_order(sealed.ballots) == list(sealed.arrivals)


@given(sealed_ballots())
def test_leaves_hashed_early_give_the_same_result(cast: tuple[Ballot, ...]) -> None:
    early = hash_ballots(1, cast[: len(cast) // 2])
    assert sort_ballots(1, "red", cast, early) == sort_ballots(1, "red", cast)

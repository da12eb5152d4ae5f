from collections.abc import Sequence
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.voting.merkle_path import root_of_path
from voting.counting.ballots import Ballot
from voting.counting.commitments import (
    EMPTY,
    Commitment,
    Tree,
    arrival_order,
    ballot_leaf,
    ballot_tree,
    commit_lot,
    draw_lot,
    hash_ballots,
    hash_leaf,
    sort_ballots,
)

SEED = "00112233445566778899aabbccddeeff"
# Leaves and tree heads from the test vectors of Certificate Transparency implementations (RFC 6962).
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
contents = st.lists(st.binary(max_size=4), min_size=1, max_size=70)


@st.composite
def sealed_ballots(draw: st.DrawFn, min_size: int = 0) -> tuple[Ballot, ...]:
    """The sealed ballots of one side: one per voter, with distinct arrivals in ascending order."""
    choices = draw(st.lists(st.integers(1, 7), min_size=min_size, max_size=40))
    arrivals = sorted(draw(st.sets(st.integers(1, 500), min_size=len(choices), max_size=len(choices))))
    return tuple(Ballot(f"v{at}", "red", choice, 1, at) for choice, at in zip(choices, arrivals, strict=True))


def root_of(arrived: Sequence[Ballot], turn: int = 1) -> str:
    return sort_ballots(turn, "red", arrived).commitment.root


def test_ballot_leaf_and_order_match_documented_format() -> None:
    """`printf '\\0%s' 12:red:4:… | sha256sum` is the root of one ballot."""
    assert ballot_leaf(12, "red", 4, "ab" * 16) == b"12:red:4:" + b"ab" * 16
    arrived = [Ballot("v", "red", 4, 3, 9, "ab" * 16), Ballot("w", "red", 1, 1, 10, "cd" * 16)]
    one = sort_ballots(12, "red", arrived[:1])
    assert one.commitment == Commitment(root=sha256(b"\x0012:red:4:" + b"ab" * 16).hexdigest(), ballots=1)
    assert sort_ballots(12, "red", []).commitment == Commitment(root=ROOTS[0], ballots=0)
    leaves = [sha256(b"\0" + ballot_leaf(12, "red", b.choice, b.blind)).digest() for b in arrived]
    both = sort_ballots(12, "red", arrived, commit_order=True)
    assert both.commitment.order == sha256(leaves[0] + leaves[1]).hexdigest()


@given(sealed_ballots(min_size=1))
def test_root_covers_turn_side_and_choice_but_not_voter(cast: tuple[Ballot, ...]) -> None:
    done = sort_ballots(1, "red", cast)
    root = done.commitment.root
    assert ballot_tree(1, "red", [(b.choice, b.blind) for b in done.ballots]).root.hex() == root
    assert root_of([replace(b, voter="") for b in cast]) == root
    assert root_of(cast, turn=2) != root
    assert sort_ballots(1, "yellow", cast).commitment.root != root
    assert root_of([replace(cast[0], choice=cast[0].choice + 1), *cast[1:]]) != root


@given(sealed_ballots(), st.randoms(use_true_random=False))
def test_order_of_arrival_changes_order_but_not_root(cast: tuple[Ballot, ...], random: Random) -> None:
    """The server can't look for an order whose root suits it. The order has a commitment of its own."""
    blinded = [replace(b, blind=f"{n:032x}") for n, b in enumerate(cast)]
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
    """Also if a node that takes over gives the number of a ballot to another one."""
    renumbered = [replace(ballot, choice=ballot.choice + 1) for ballot in cast]
    for early in (cast[: len(cast) // 2], renumbered):
        assert sort_ballots(1, "red", cast, hash_ballots(1, early)) == sort_ballots(1, "red", cast)


@pytest.mark.parametrize("size", range(9))
def test_tree_reproduces_published_roots(size: int) -> None:
    tree = Tree(hash_leaf(bytes.fromhex(leaf)) for leaf in LEAVES[:size])
    assert (tree.root.hex(), len(tree)) == (ROOTS[size], size)


@given(contents)
def test_paths_lead_from_each_leaf_to_the_root_and_no_other(leaves: list[bytes]) -> None:
    tree = Tree(map(hash_leaf, leaves))
    for index, content in enumerate(leaves):
        path = tree.path(index)
        assert root_of_path(content, index, len(tree), path) == tree.root
        assert root_of_path(content + b"x", index, len(tree), path) != tree.root
        assert root_of_path(content, index, len(tree), (*path, EMPTY)) is None


def test_commit_lot_and_draw_lot_match_documented_format() -> None:
    """`printf 'crowdgame lot:00112233445566778899aabbccddeeff' | sha256sum` prints the commitment."""
    assert commit_lot(SEED) == sha256(b"crowdgame lot:00112233445566778899aabbccddeeff").hexdigest()
    digests = [sha256(f"{SEED}:{lot}".encode()).hexdigest() for lot in ("red", "yellow", "red:1")]
    red, yellow, red_again = (int(digest, 16) for digest in digests)
    assert [draw_lot(SEED, "red", n) for n in (1, 7, 1000)] == [0, red % 7, red % 1000]
    assert draw_lot(SEED, "red", 9**9, 0) == red % 9**9, "outside a runoff"
    assert draw_lot(SEED, "yellow", 9**9) == yellow % 9**9
    assert draw_lot(SEED, "red", 9**9, 1) == red_again % 9**9

"""The opened ballots of a resolved turn, with the Merkle proof of each."""

import logging
from array import array
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple, cast

import msgspec
from django.db.models import Sum

from games.engine.game import SIDES, Side
from voting.counting.ballots import unpack_batches
from voting.counting.commitments import Tree, ballot_tree
from voting.counting.methods.voting_method import VotingMethod
from voting.models import TallyRecord, TurnState
from voting.protocol import ReceiptIssued

log = logging.getLogger(__name__)

# The path of a ballot is kept within its block of leaves; all share the tree over the blocks. A power of two.
BLOCK = 64
HASH_BYTES = 32
KEPT_WHOLE = 5_000  # the ballots of larger turns are kept of a gateway's own voters only

_encode = msgspec.msgpack.Encoder().encode


class BallotLeaf(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The position of a voter's ballot in its side's list, its contents, and its path within its block."""

    index: int
    choice: int
    blind: str
    path: bytes
    side: Side


class OpenedList(NamedTuple):
    """A side's opened ballots: the choice of each, and the Merkle tree over the roots of their blocks."""

    choices: "array[int]"
    blocks: Tree


NO_BALLOTS = OpenedList(array("I"), Tree(()))
_decode_leaf = msgspec.msgpack.Decoder(BallotLeaf).decode


@dataclass(frozen=True, slots=True)
class DropPlace:
    """The position of a ballot in its side's list, and its rank in the pile of `column`."""

    side: Side
    index: int
    column: int
    rank: int


@dataclass(frozen=True, slots=True)
class OpenedBallots:
    """The opened ballots of a resolved turn.

    `lists` holds them by side, without voters. `places` has the encoded `BallotLeaf` of each voter for whom
    they were loaded, empty without a ballot; of all voters with a ballot if it `is_whole`. `sides` holds each
    team's side.
    """

    turn_id: int
    lists: dict[Side, OpenedList]
    places: dict[str, bytes]
    sides: dict[int, Side]
    is_whole: bool

    def covers(self, voter: str) -> bool:
        """Return whether the voter's ballot, if there is one, was loaded."""
        return self.is_whole or voter in self.places

    def find(self, voter: str) -> BallotLeaf | None:
        """Return the voter's ballot. None if there is none, or if it was not loaded."""
        packed = self.places.get(voter)
        return _decode_leaf(packed) if packed else None

    def find_blind(self, blind: str) -> str:
        """Return the voter of the ballot with this blinding factor; empty if there is none."""
        return next((voter for voter, leaf in self.places.items() if _decode_leaf(leaf).blind == blind), "")

    def drop(self, voter: str, method: VotingMethod) -> DropPlace | None:
        """Return where the voter's ballot lies in the pile of the first column it counts for."""
        leaf = self.find(voter)
        columns = method.counted(method.decode(leaf.choice)) if leaf else ()
        if leaf is None or not columns:
            return None
        before = Counter(self.lists[leaf.side].choices[: leaf.index])
        votes = (method.counted(method.decode(choice)).count(columns[0]) * n for choice, n in before.items())
        return DropPlace(leaf.side, leaf.index, columns[0], sum(votes))

    def receipt(self, voter: str, team: int) -> ReceiptIssued:
        """Build a voter's receipt. Without a ballot it gives only the side and its number of ballots."""
        leaf = self.find(voter)
        side = leaf.side if leaf else self.sides[team]
        opened = self.lists.get(side, NO_BALLOTS)
        if leaf is None:
            return ReceiptIssued(turn=self.turn_id, side=side, ballots=len(opened.choices))
        path = leaf.path + b"".join(opened.blocks.path(leaf.index // BLOCK))
        return ReceiptIssued(
            turn=self.turn_id,
            side=side,
            index=leaf.index,
            ballots=len(opened.choices),
            path=tuple(path[start : start + HASH_BYTES].hex() for start in range(0, len(path), HASH_BYTES)),
            choice=leaf.choice,
            blind=leaf.blind,
        )


def load_opened_ballots(
    event_id: int, turn_id: int, voters: Collection[str] | None = None
) -> OpenedBallots | None:
    """Load a turn's opened ballots; those of a large turn for these `voters` only.

    Returns None unless the turn is resolved, if its ballots are anonymized by now, or if they are unreadable.
    """
    of_turn = TallyRecord.objects.filter(turn=turn_id, turn__state=TurnState.RESOLVED)
    records = of_turn.filter(turn__match__event=event_id)
    total = records.aggregate(total=Sum("ballots"))["total"]
    if total is None:
        return None
    red = records.values_list("turn__match__red__number", flat=True)[0]
    is_whole = voters is None or total <= KEPT_WHOLE
    opened = OpenedBallots(
        turn_id, {}, {} if is_whole else dict.fromkeys(voters or (), b""), _sides(red), is_whole
    )
    try:
        for side, sealed in records.values_list("side", "sealed").iterator(chunk_size=1):
            opened.lists[cast(Side, side)] = open_list(opened, cast(Side, side), bytes(sealed))
    except msgspec.MsgspecError as error:
        log.warning("could not read the ballot list of turn %s: %s", turn_id, error, extra={"turn": turn_id})
        return None
    return None if "" in opened.places else opened


def _sides(red: int) -> dict[int, Side]:
    return {number: SIDES[number != red] for number in (1, 2)}


def open_list(opened: OpenedBallots, side: Side, packed: bytes) -> OpenedList:
    """Return a side's list, and add the places of its voters. Raises msgspec.MsgspecError."""
    choices, roots, places = array("I"), list[bytes](), opened.places
    for ballots in unpack_batches(packed, BLOCK):
        tree = ballot_tree(opened.turn_id, side, ((ballot.choice, ballot.blind) for ballot in ballots))
        for at, ballot in enumerate(ballots):
            if opened.is_whole or ballot.voter in places:
                path = b"".join(tree.path(at))
                leaf = BallotLeaf(len(choices) + at, ballot.choice, ballot.blind, path, side)
                places[ballot.voter] = _encode(leaf)
        choices.extend(ballot.choice for ballot in ballots)
        roots.append(tree.root)
    return OpenedList(choices, Tree(roots))

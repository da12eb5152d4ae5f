"""The opened ballots of a resolved turn, with the Merkle proof of each."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import msgspec

from games.engine.game import SIDES, Side
from voting.counting.ballots import unpack_ballots
from voting.counting.commitments import Tree, ballot_tree
from voting.counting.methods.voting_method import VotingMethod
from voting.models import TallyRecord, TurnState
from voting.protocol import ReceiptIssued

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BallotLeaf:
    """The position of a voter's ballot in the Merkle tree of its side, and its contents."""

    side: Side
    index: int
    choice: int
    blind: str


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

    `trees` holds a Merkle tree by side, `places` each voter's leaf by voter id, `sides` each team's side.
    """

    turn_id: int
    trees: dict[Side, Tree]
    places: dict[str, BallotLeaf]
    sides: dict[int, Side]

    def drop(self, voter: str, method: VotingMethod) -> DropPlace | None:
        """Return where the voter's ballot lies in the pile of the first column it counts for."""
        place = self.places.get(voter)
        columns = method.counted(method.decode(place.choice)) if place else ()
        if place is None or not columns:
            return None
        before = Counter(
            other.choice
            for other in self.places.values()
            if other.side == place.side and other.index < place.index
        )
        votes = (method.counted(method.decode(choice)).count(columns[0]) * n for choice, n in before.items())
        return DropPlace(place.side, place.index, columns[0], sum(votes))

    def receipt(self, voter: str, team: int) -> ReceiptIssued:
        """Build a voter's receipt. Without a ballot it gives only the side and its number of ballots."""
        place = self.places.get(voter)
        side = place.side if place else self.sides[team]
        tree = self.trees.get(side, Tree(()))
        if place is None:
            return ReceiptIssued(turn=self.turn_id, side=side, ballots=len(tree))
        return ReceiptIssued(
            turn=self.turn_id,
            side=side,
            index=place.index,
            ballots=len(tree),
            path=tuple(beside.hex() for beside in tree.path(place.index)),
            choice=place.choice,
            blind=place.blind,
        )


def load_opened_ballots(event_id: int, turn_id: int) -> OpenedBallots | None:
    """Load a turn's opened ballots.

    Returns None unless the turn is resolved, if its ballots are anonymized by now, or if they are unreadable.
    """
    of_turn = TallyRecord.objects.filter(turn=turn_id, turn__state=TurnState.RESOLVED)
    records = list(of_turn.filter(turn__match__event=event_id).select_related("turn__match__red"))
    try:
        return _build_opened_ballots(turn_id, records) if records else None
    except msgspec.MsgspecError as error:
        log.warning("could not read the ballot list of turn %s: %s", turn_id, error, extra={"turn": turn_id})
        return None


def _build_opened_ballots(turn_id: int, records: Sequence[TallyRecord]) -> OpenedBallots | None:
    trees: dict[Side, Tree] = {}
    places: dict[str, BallotLeaf] = {}
    for record in records:
        side, ballots = cast(Side, record.side), unpack_ballots(bytes(record.sealed))
        trees[side] = ballot_tree(turn_id, side, ((ballot.choice, ballot.blind) for ballot in ballots))
        places |= {b.voter: BallotLeaf(side, index, b.choice, b.blind) for index, b in enumerate(ballots)}
    if "" in places:
        return None
    red = records[0].turn.match.red.number
    return OpenedBallots(turn_id, trees, places, {number: SIDES[number != red] for number in (1, 2)})

"""Receipts: the Merkle proof of a voter's ballot in the opened ballots of a turn, answered from memory.

The ballots of a turn are loaded once, when the first phone asks. The last few turns of each event are
cached.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import cast

import msgspec

from games.engine.game import SIDES, Side
from games.models import TurnState
from voting.admission.seats import Seat
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.counting.ballots import unpack_ballots
from voting.counting.commitments import ballot_tree
from voting.counting.merkle import Tree
from voting.gateway.event_room import EventRoom
from voting.models import TallyRecord
from voting.protocol import ReceiptIssued

log = logging.getLogger(__name__)

MAX_CACHED_TURNS = 4
LOAD_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class BallotLeaf:
    """The position of a voter's ballot in the Merkle tree of its side, and its contents."""

    side: Side
    index: int
    choice: int
    blind: str


@dataclass(frozen=True, slots=True)
class OpenedBallots:
    """The opened ballots of a resolved turn.

    `trees` holds a Merkle tree by side, `places` each voter's leaf by voter id, `sides` each team's side.
    """

    turn_id: int
    trees: dict[Side, Tree]
    places: dict[str, BallotLeaf]
    sides: dict[int, Side]

    def receipt(self, seat: Seat) -> ReceiptIssued:
        """Build the receipt of a seat. Without a ballot it gives only the side and its number of ballots."""
        place = self.places.get(seat.voter)
        side = place.side if place else self.sides[seat.team]
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


LoadTask = asyncio.Task[OpenedBallots | None]


class Receipts:
    """Cached receipts of a gateway. `load` reads opened ballots in a thread; None if there are none."""

    def __init__(self, load: Callable[[int, int], Awaitable[OpenedBallots | None]]) -> None:
        self._load = load
        self._cached: dict[int, dict[int, LoadTask]] = {}

    async def find(self, room: EventRoom, seat: Seat, turn_id: int) -> ReceiptIssued:
        """Return the receipt for a seat and turn; its `side` is None if nothing is known.

        Loads only the turns revealed last; earlier ones come from the cache. So nobody can trigger reads by
        guessing turns. Does not wait longer than LOAD_TIMEOUT_S for the database.
        """
        unknown = ReceiptIssued(turn=turn_id, side=None)
        if room.state.match and room.state.match.max_side_changes:  # path length reveals a side's size
            return unknown
        opening = self._cached.get(room.event_id, {}).get(turn_id)
        if opening is None and turn_id in _revealed_turns(room):
            opening = self._start_loading(room.event_id, turn_id)
        if opening is None:
            return unknown
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                opened = await asyncio.shield(opening)
        except (TimeoutError, *DATABASE_ERRORS):
            return unknown
        return opened.receipt(seat) if opened else unknown

    def drop_cache(self, event_id: int) -> None:
        """Drop an event's cached turns, when its room closes or the database was restored."""
        self._cached.pop(event_id, None)

    def _start_loading(self, event_id: int, turn_id: int) -> LoadTask:
        """Load a turn in one task shared by all callers. Caches an empty result; retries after a failure."""

        def done(task: LoadTask) -> None:
            if task.cancelled() or task.exception():
                kept.pop(turn_id, None)

        kept = self._cached.setdefault(event_id, {})
        while len(kept) >= MAX_CACHED_TURNS:
            del kept[min(kept)]
        opening = kept[turn_id] = asyncio.ensure_future(self._load(event_id, turn_id))
        opening.add_done_callback(done)
        return opening


def _revealed_turns(room: EventRoom) -> set[int]:
    """The turn revealed last, with the concealed turn that was revealed together with it, if any."""
    match = room.state.match
    reveals = (match.reveal, match.reveal.concealed) if match and match.reveal else ()
    return {turn.turn for turn in reveals if turn}


def load_opened_ballots(event_id: int, turn_id: int) -> OpenedBallots | None:
    """Load a turn's opened ballots.

    Returns None unless the turn is resolved, if its ballots are anonymized by now, or if they are unreadable.
    """
    of_turn = TallyRecord.objects.filter(turn=turn_id, turn__state=TurnState.RESOLVED)
    records = list(of_turn.filter(turn__match__event=event_id).select_related("turn__match__red"))
    try:
        return _build_opened_ballots(turn_id, records) if records else None
    except msgspec.MsgspecError as error:
        log.warning("the list of turn %s is not read: %s", turn_id, error, extra={"turn": turn_id})
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

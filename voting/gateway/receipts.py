"""Receipts: the Merkle proof of a voter's ballot in the opened ballots of a turn, answered from memory.

The ballots of a turn are loaded when the first phone asks; those of a large turn for the voters
connected here. The last few turns of each event are cached.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from voting.admission.seats import Seat
from voting.ballot_box.opened_ballots import DropPlace, OpenedBallots
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.counting.methods.voting_method import find_method
from voting.gateway.event_room import EventRoom
from voting.metrics.metrics import count_refusal
from voting.protocol import ReceiptIssued

MAX_CACHED_TURNS = 4
LOAD_TIMEOUT_S = 5.0
# Voters who connect after a large turn was loaded are added together, at most so often.
ADD_AGAIN_AFTER_S = 30.0

LoadTask = asyncio.Task[OpenedBallots | None]
Load = Callable[[int, int, Collection[str]], Awaitable[OpenedBallots | None]]


@dataclass(slots=True)
class CachedTurn:
    """The opened ballots of a turn, and the last task that added voters to them."""

    load: LoadTask
    adding: asyncio.Task[None] | None = None
    add_again_at: float = 0.0


class Receipts:
    """Cached receipts of a gateway. `load` reads opened ballots in a thread; None if there are none."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._cached: dict[int, dict[int, CachedTurn]] = {}

    async def find(self, room: EventRoom, seat: Seat, turn_id: int) -> ReceiptIssued:
        """Return the receipt for a seat and turn; its `side` is None if nothing is known.

        Loads only the turns revealed last; earlier ones come from the cache. So nobody can trigger reads by
        guessing turns. Does not wait longer than LOAD_TIMEOUT_S for the database.
        """
        opened = await self._find_opened(room, seat.voter, turn_id)
        return opened.receipt(seat.voter, seat.team) if opened else ReceiptIssued(turn=turn_id, side=None)

    def find_loaded(self, room: EventRoom, seat: Seat, turn_id: int) -> ReceiptIssued | None:
        """Like `find`, but returns None if that may have to wait."""
        cached = self._cached.get(room.event_id, {}).get(turn_id)
        if cached is None or not cached.load.done() or _has_secret_sides(room):
            return None
        opened = None if cached.load.cancelled() or cached.load.exception() else cached.load.result()
        return opened.receipt(seat.voter, seat.team) if opened and opened.covers(seat.voter) else None

    async def find_drop(self, room: EventRoom, seat: Seat, turn_id: int) -> DropPlace | None:
        """Return where a seat's ballot lies in the piles of a turn; None if nothing is known."""
        opened = await self._find_opened(room, seat.voter, turn_id)
        if opened is None or room.state.match is None:
            return None
        method = find_method(room.state.match.tally_method)
        return await asyncio.to_thread(opened.drop, seat.voter, method)

    async def _find_opened(self, room: EventRoom, voter: str, turn_id: int) -> OpenedBallots | None:
        """Return a turn's opened ballots; None if it is not known whether the voter's is among them."""
        if _has_secret_sides(room):
            return None
        cached = self._cached.get(room.event_id, {}).get(turn_id)
        if cached is None and turn_id in _revealed_turns(room):
            cached = self._start_loading(room, turn_id)
        if cached is None:
            return None
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                opened = await asyncio.shield(cached.load)
                if opened and not opened.covers(voter):
                    await asyncio.shield(self._add_voters(room, cached, opened))
        except (TimeoutError, *DATABASE_ERRORS):
            count_refusal("receipt")
            return None
        return opened if opened and opened.covers(voter) else None

    def drop_cache(self, event_id: int) -> None:
        """Drop an event's cached turns, when its room closes or the database was restored."""
        self._cached.pop(event_id, None)

    def _start_loading(self, room: EventRoom, turn_id: int) -> CachedTurn:
        """Load a turn in one task shared by all callers. Caches an empty result; retries after a failure."""

        def done(task: LoadTask) -> None:
            if task.cancelled() or task.exception():
                kept.pop(turn_id, None)

        kept = self._cached.setdefault(room.event_id, {})
        while len(kept) >= MAX_CACHED_TURNS:
            del kept[min(kept)]
        opening = asyncio.ensure_future(self._load(room.event_id, turn_id, tuple(room.voters)))
        cached = kept[turn_id] = CachedTurn(opening)
        opening.add_done_callback(done)
        return cached

    def _add_voters(self, room: EventRoom, cached: CachedTurn, opened: OpenedBallots) -> asyncio.Task[None]:
        """Load the ballots of voters who connected since, in one task shared by all callers."""

        async def add() -> None:
            missing = [voter for voter in room.voters if not opened.covers(voter)]
            if more := await self._load(room.event_id, opened.turn_id, missing):
                opened.places.update(more.places)

        now = asyncio.get_running_loop().time()
        if cached.adding is None or (cached.adding.done() and now >= cached.add_again_at):
            cached.adding = asyncio.create_task(add())
            cached.add_again_at = now + ADD_AGAIN_AFTER_S
        return cached.adding


def _has_secret_sides(room: EventRoom) -> bool:
    """Whether receipts stay secret, because the length of a path reveals the size of a side."""
    return room.state.match is not None and room.state.match.max_side_changes > 0


def _revealed_turns(room: EventRoom) -> set[int]:
    """The turn revealed last, with the concealed turn that was revealed together with it, if any."""
    match = room.state.match
    reveals = (match.reveal, match.reveal.concealed) if match and match.reveal else ()
    return {turn.turn for turn in reveals if turn}

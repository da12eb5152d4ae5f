"""Receipts: the Merkle proof of a voter's ballot in the opened ballots of a turn, answered from memory.

The ballots of a turn are loaded once, when the first phone asks. The last few turns of each event are
cached.
"""

import asyncio
from collections.abc import Awaitable, Callable

from voting.admission.seats import Seat
from voting.ballot_box.opened_ballots import DropPlace, OpenedBallots
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.counting.methods.voting_method import find_method
from voting.gateway.event_room import EventRoom
from voting.metrics.metrics import count_refusal
from voting.protocol import ReceiptIssued

MAX_CACHED_TURNS = 4
LOAD_TIMEOUT_S = 2.0


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
        opened = await self._find_opened(room, turn_id)
        return opened.receipt(seat.voter, seat.team) if opened else ReceiptIssued(turn=turn_id, side=None)

    def find_loaded(self, room: EventRoom, seat: Seat, turn_id: int) -> ReceiptIssued | None:
        """Like `find`, but returns None if that may have to wait."""
        loading = self._cached.get(room.event_id, {}).get(turn_id)
        if loading is None or not loading.done() or _has_secret_sides(room):
            return None
        opened = None if loading.cancelled() or loading.exception() else loading.result()
        return opened.receipt(seat.voter, seat.team) if opened else None

    async def find_drop(self, room: EventRoom, seat: Seat, turn_id: int) -> DropPlace | None:
        """Return where a seat's ballot lies in the piles of a turn; None if nothing is known."""
        opened = await self._find_opened(room, turn_id)
        if opened is None or room.state.match is None:
            return None
        method = find_method(room.state.match.tally_method)
        return await asyncio.to_thread(opened.drop, seat.voter, method)

    async def _find_opened(self, room: EventRoom, turn_id: int) -> OpenedBallots | None:
        if _has_secret_sides(room):
            return None
        opening = self._cached.get(room.event_id, {}).get(turn_id)
        if opening is None and turn_id in _revealed_turns(room):
            opening = self._start_loading(room.event_id, turn_id)
        if opening is None:
            return None
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                return await asyncio.shield(opening)
        except (TimeoutError, *DATABASE_ERRORS):
            count_refusal("receipt")
            return None

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


def _has_secret_sides(room: EventRoom) -> bool:
    """Whether receipts stay secret, because the length of a path reveals the size of a side."""
    return room.state.match is not None and room.state.match.max_side_changes > 0


def _revealed_turns(room: EventRoom) -> set[int]:
    """The turn revealed last, with the concealed turn that was revealed together with it, if any."""
    match = room.state.match
    reveals = (match.reveal, match.reveal.concealed) if match and match.reveal else ()
    return {turn.turn for turn in reveals if turn}

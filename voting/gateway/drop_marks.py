"""Marks voters' own drops on the displays during a reveal.

A voter may ask while the turn is open. The request waits here for the reveal, so that an audience of any size
causes no burst of messages when the reveal is sent.
"""

from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async

from voting import protocol
from voting.admission.seats import Seat
from voting.announcements.outbox import publish_drop
from voting.counting.voter_codes import derive_voter_code
from voting.gateway.event_room import EventRoom
from voting.gateway.receipts import Receipts
from voting.protocol import DropAnswered

SYMBOLS = 12


async def mark_drop(
    room: EventRoom, seat: Seat, turn_id: int, receipts: Receipts, *, has_voted: bool
) -> AsyncIterator[DropAnswered]:
    """Mark the drop of the seat's voter in the reveal of a turn, and yield the answers for the phone.

    `has_voted`: the voter has a counted ballot in the open turn. Waits for the reveal while the turn is open.
    """
    symbol = drop_symbol(seat.voter)
    is_open = room.turn is not None and room.turn.id == turn_id
    is_shown = allows_marks(room.state) and (is_open or shows_piles(room.state, turn_id, room.now()))
    # Nobody without a ballot takes one of the few places.
    if not is_shown or not (has_voted if is_open else await receipts.find_drop(room, seat, turn_id)):
        yield DropAnswered(turn=turn_id, answer="unavailable", symbol=symbol)
        return
    requests = room.drop_requests_for(turn_id)
    if not requests.take(seat.voter):
        yield DropAnswered(turn=turn_id, answer="full", symbol=symbol)
        return
    if is_open:
        yield DropAnswered(turn=turn_id, answer="waiting", symbol=symbol)
    try:
        await requests.closed.wait()
    finally:
        if not requests.closed.is_set():  # the phone has disconnected and may ask again
            requests.voters.discard(seat.voter)
    place = await receipts.find_drop(room, seat, turn_id) if allows_marks(room.state) else None
    if place is None:
        yield DropAnswered(turn=turn_id, answer="unavailable", symbol=symbol)
        return
    drop = protocol.DropShown(
        turn=turn_id, side=place.side, column=place.column, rank=place.rank, symbol=symbol
    )
    await sync_to_async(publish_drop, thread_sensitive=False)(room.event_id, drop)
    yield DropAnswered(turn=turn_id, answer="shown", symbol=symbol, index=place.index)


def drop_symbol(voter: str) -> int:
    """Return the number of the symbol for a voter id. It follows from the voter code."""
    return sum(map(ord, derive_voter_code(voter))) % SYMBOLS


def allows_marks(state: protocol.EventState) -> bool:
    """Whether displays may mark drops: they show the counts, and the organizer has not turned marks off."""
    return {"drops", "tally", "turnout"}.isdisjoint(state.hidden)


def shows_piles(state: protocol.EventState, turn_id: int, now: int) -> bool:
    """Whether this turn is being revealed at `now` (ms), and its balls have not fallen yet."""
    reveal = state.match.reveal if state.match else None
    if reveal is None or now >= reveal.resolved_at + reveal.steps.drops:
        return False
    return turn_id in {reveal.turn, reveal.concealed.turn if reveal.concealed else 0}

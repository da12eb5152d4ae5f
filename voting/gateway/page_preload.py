"""What a phone's page comes with: the event as it is, and a seat for whoever has none yet.

So a newcomer sees the board and may choose before a socket is open: on a slow line that is seconds earlier.
The seat is counted when its phone joins with it; one that is never used was never there.
"""

from dataclasses import dataclass

import msgspec

from voting.admission.seats import new_seat, sign_offer
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway


@dataclass(frozen=True, slots=True)
class PreloadParts:
    """A protocol.PagePreload in two parts of JSON: the state, alike for all, and what is one page's own."""

    state: bytes
    own: bytes


def build_page_preload(gateway: Gateway, code: str, team: int) -> PreloadParts | None:
    """For the page of this code and (0: any) team; None while nobody of the event is at this gateway."""
    room = gateway.loaded_room(code)
    if room is None or gateway.retry_ms is not None:
        return None
    offered = _team_for_new_voter(room, team)
    token = _offer_seat(room, offered, gateway.now()) if offered else None
    state = b'{"seq":%d,"state":%b' % (room.seq, msgspec.json.encode(room.state).replace(b"<", b"\\u003c"))
    own = b',"now_at":%d,"offer":%b,"team":%d}' % (gateway.now(), msgspec.json.encode(token), offered)
    return PreloadParts(state, own)


def _offer_seat(room: EventRoom, team: int, now: int) -> str:
    seat = new_seat(room.event_id, team)
    room.reserved_seats.add(seat)
    return sign_offer(seat, now)


def _team_for_new_voter(room: EventRoom, wish: int) -> int:
    """0 if the door would ask for more than a device, or might, or let nobody in."""
    state = room.state
    if state.lobby != "open" or state.admission != "open" or not room.accepts_phones or room.has_solo:
        return 0
    if state.team_choice == "balance":
        return room.team_for_new_voter(room.reserved_seats.smaller(room.connected()))
    return room.team_for_new_voter(wish) if state.team_choice == "link" else 0

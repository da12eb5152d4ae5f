"""Page preload (initial state): the event's snapshot and an offered seat, embedded in a phone's HTML page.

A new voter sees the board and can choose before the WebSocket is open. On a slow connection that saves
seconds. The seat counts once its phone joins with it; an unused one leaves no trace.
"""

from dataclasses import dataclass

import msgspec

from voting.admission.seats import new_seat, sign_offer
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway
from voting.terms import Admission, Lobby, TeamChoice


@dataclass(frozen=True, slots=True)
class PreloadParts:
    """A protocol.PagePreload in two parts of JSON: `state` is shared by all pages, `own` differs for each.

    Concatenated they are one JSON object. `state` contains no `<`, so that it is safe inside HTML.
    """

    state: bytes
    own: bytes


def build_page_preload(gateway: Gateway, code: str, team: int) -> PreloadParts | None:
    """Build the preload for an event's page and a team (0: any).

    Returns None if the event has no open room at this gateway, or the gateway drains.
    """
    room = gateway.loaded_room(code)
    if room is None or gateway.retry_ms is not None:
        return None
    offered = _team_for_new_voter(room, team)
    token = _offer_seat(room, offered, room.now()) if offered else None
    state = b'{"seq":%d,"state":%b' % (room.seq, msgspec.json.encode(room.state).replace(b"<", b"\\u003c"))
    own = b',"now_at":%d,"offer":%b,"team":%d}' % (room.now(), msgspec.json.encode(token), offered)
    return PreloadParts(state, own)


def _offer_seat(room: EventRoom, team: int, now: int) -> str:
    seat = new_seat(room.event_id, team)
    room.reserved_seats.add(seat)
    return sign_offer(seat, now)


def _team_for_new_voter(room: EventRoom, wish: int) -> int:
    """The team of the seat to offer; 0 if joining is closed, or may need a key or a choice of team."""
    state = room.state
    is_open = state.lobby == Lobby.OPEN and state.admission == Admission.OPEN
    if not is_open or not room.accepts_phones or room.has_solo:
        return 0
    if state.team_choice == TeamChoice.BALANCE:
        return room.team_for_new_voter(room.reserved_seats.smaller(room.connected()))
    return room.team_for_new_voter(wish) if state.team_choice == TeamChoice.LINK else 0

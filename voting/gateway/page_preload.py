"""Page preloads (initial state): what the first socket message would say, embedded in the HTML page.

Before the WebSocket is open, a new voter sees the board and can choose, and a projector shows the board. On a
slow connection that saves seconds. A phone's preload offers a seat, which counts once its phone joins with
it; an unused one leaves no trace.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from voting.admission.seats import new_seat, sign_offer
from voting.gateway.display import welcome_display
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway
from voting.terms import Admission, Lobby, TeamChoice


@dataclass(frozen=True, slots=True)
class PreloadParts:
    """A preload in two parts of JSON: `state` is shared by all pages, `own` differs for each.

    Concatenated they are one JSON object. `state` contains no `<`, so that it is safe inside HTML.
    """

    state: bytes
    own: bytes


def build_page_preload(gateway: Gateway, code: str, team: int) -> PreloadParts | None:
    """Build the protocol.PagePreload for a phone of an event's team (0: any).

    Returns None if the event has no open room at this gateway, or the gateway drains.
    """
    room = _open_room(gateway, code)
    if room is None:
        return None
    offered = _team_for_new_voter(room, team)
    token = _offer_seat(room, offered, room.now()) if offered else None
    state = b'{"seq":%d,"state":%b' % (room.seq, _without_tags(bytes(room.encoded_state)))
    own = b',"now_at":%d,"offer":%b,"team":%d}' % (room.now(), msgspec.json.encode(token), offered)
    return PreloadParts(state, own)


def build_display_preload(gateway: Gateway, code: str, scope: Any) -> PreloadParts | None:
    """Build the protocol.DisplayWelcomed for a display, which requested its page with the ASGI `scope`.

    Returns None in the same cases as `build_page_preload`. It contains only what a display without the
    projector key is sent.
    """
    room = _open_room(gateway, code)
    if room is None:
        return None
    return PreloadParts(_without_tags(msgspec.json.encode(welcome_display(room, scope))), b"")


def _open_room(gateway: Gateway, code: str) -> EventRoom | None:
    return gateway.loaded_room(code) if gateway.retry_ms is None else None


def _without_tags(json: bytes) -> bytes:
    return json.replace(b"<", b"\\u003c")


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

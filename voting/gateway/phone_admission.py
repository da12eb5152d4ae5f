"""Admission of a phone: which seat it gets, or why it is refused."""

from dataclasses import replace

from msgspec.structs import replace as replace_fields

from voting.admission.seats import Seat, read_offer, read_seat
from voting.ballot_box.box_types import TeamWish
from voting.counting.voter_codes import derive_voter_code
from voting.gateway.admission_queue import AdmittedVoter
from voting.gateway.event_room import EventRoom
from voting.gateway.socket import CloseSocket
from voting.gateway.ticket_claims import AdmissionDenied
from voting.protocol import CloseCode, PhoneJoin
from voting.terms import Admission, Lobby, TeamChoice


async def admit_phone(message: PhoneJoin, room: EventRoom, now: int) -> AdmittedVoter:
    """Admit a returning or a new voter. `now` is in milliseconds.

    Raises AdmissionDenied, CloseSocket (BAD_TOKEN, BANNED, KICKED), RetryLater, redis.RedisError, OSError and
    DATABASE_ERRORS.
    """
    if message.token is not None:
        seat = _known_seat(message.token, room)
        if message.removed and room.restriction_for(derive_voter_code(seat.voter)).kicked_at:
            raise CloseSocket(CloseCode.KICKED)
        admitted = await room.admission_queue.admit(seat, None)
    else:
        admitted = await _admit_new_voter(message, room, now)
    _check_restriction(admitted.seat, room)  # it may have been added while the phone waited
    return admitted


async def _admit_new_voter(message: PhoneJoin, room: EventRoom, now: int) -> AdmittedVoter:
    state = room.state
    if state.lobby != Lobby.OPEN:
        raise AdmissionDenied("lobby_closed" if state.lobby == Lobby.CLOSED else "joining_locked")
    if not room.accepts_phones:
        raise AdmissionDenied("hands_only")
    team = room.team_for_new_voter(0 if state.team_choice == TeamChoice.BALANCE else message.team or 0)
    if state.admission in (Admission.TICKETS, Admission.ROSTER) or (message.key and room.has_solo):
        return await _admit_with_ticket(replace_fields(message, team=team or None), room, now)
    if state.team_choice != TeamChoice.BALANCE and not team:
        raise AdmissionDenied("team_needed")
    if state.admission == Admission.ROTATING:
        room.ticket_claims.check_code(state.code, message.key, now)
    offered = _offered_seat(message, room, now) if state.admission == Admission.OPEN else None
    wish = TeamWish(team)
    if offered and state.team_choice == TeamChoice.BALANCE:
        known = room.voters.get(offered.voter)
        wish = TeamWish(known.team) if known else TeamWish(offered.team, is_offered=True)
    return await room.admission_queue.admit(offered, wish)


async def _admit_with_ticket(message: PhoneJoin, room: EventRoom, now: int) -> AdmittedVoter:
    """Claim the ticket, then admit its voter. Releases a ticket claimed here if that fails."""
    claim = await room.ticket_claims.claim(message, room.state, now)
    admitted = None
    try:
        seat = Seat(room.event_id, claim.voter, room.team_for_seat(claim.team))
        _check_restriction(seat, room)
        admitted = await room.admission_queue.admit(seat, TeamWish(seat.team) if claim.first else None)
    finally:
        if claim.first and admitted is None:
            room.ticket_claims.release(claim.ticket)
    return replace(admitted, ticket=claim.ticket if claim.first else None)


def _known_seat(token: str, room: EventRoom) -> Seat:
    seat = read_seat(token)
    if seat is None or seat.event_id != room.event_id:
        raise CloseSocket(CloseCode.BAD_TOKEN)
    _check_restriction(seat, room)
    return replace(seat, team=room.team_for_seat(seat.team))


def _check_restriction(seat: Seat, room: EventRoom) -> None:
    if room.restrictions and room.restriction_for(derive_voter_code(seat.voter)).banned:
        raise CloseSocket(CloseCode.BANNED)


def _offered_seat(message: PhoneJoin, room: EventRoom, now: int) -> Seat | None:
    """The seat offered with the phone's page, if it is still valid for this room and team."""
    seat = read_offer(message.offer, now) if message.offer else None
    if seat is None or seat.event_id != room.event_id or room.team_for_new_voter(seat.team) != seat.team:
        return None
    return seat if room.state.team_choice == TeamChoice.BALANCE or seat.team == message.team else None

"""Enforce restrictions (ban, kick, move, no nickname) on the voters connected to this gateway."""

from voting.admission.restrictions import NO_RESTRICTION, Restrictions
from voting.gateway.event_room import EventRoom
from voting.gateway.supplements import write_to_few
from voting.protocol import CloseCode, NicknameAnswered


def enforce_restrictions(room: EventRoom, restrictions: Restrictions) -> None:
    """Replace the room's restrictions, then evict, move or notify the voters whose restriction changed."""
    before, room.restrictions = room.restrictions, restrictions
    changed = {
        voter_code
        for voter_code in before.keys() | restrictions.keys()
        if before.get(voter_code) != restrictions.get(voter_code)
    }
    if changed:
        for voter in [one for one in room.voters.values() if one.voter_code in changed]:
            former = before.get(voter.voter_code, NO_RESTRICTION)
            restriction = room.restriction_for(voter.voter_code)
            if restriction.banned:
                room.evict(voter, CloseCode.BANNED)
            elif restriction.kicked_at > former.kicked_at:
                room.evict(voter, CloseCode.KICKED)
            else:
                room.move(voter)
                if restriction.nameless and not former.nameless:
                    write_to_few(voter.sockets, NicknameAnswered(removed=True))

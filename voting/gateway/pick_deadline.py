"""Duels: whether a pick taken at this gateway can change the turn's deadline."""

from voting.counting.bank import BankTerms
from voting.gateway.event_room import EventRoom


def may_move_deadline(room: EventRoom) -> bool:
    """Whether the turn's deadline may have to move after a pick. May be True when it need not.

    A side with no voter connected here counts as having picked, so that no last pick is missed. With equal
    time left, the deadline does not show whether the other side has picked elsewhere: the answer is True.
    """
    match, turn = room.state.match, room.turn
    if match is None or turn is None or match.clocks is None:
        return False
    clocks = match.clocks
    terms = BankTerms.from_seconds(clocks.bank_s, clocks.increment_s, clocks.cap_s, match.no_ballot_rule)
    left = {side: clocks.red_ms if side == "red" else clocks.yellow_ms for side in turn.to_move}
    picked = [side for side in turn.to_move if not room.waiting_on(side)]
    alike = len({terms.usable_ms(ms) for ms in left.values()}) < len(left)
    return alike or turn.opens_at + terms.ends_after_ms(left, picked) != turn.closes_at

"""In a duel: whether a pick that was taken here changes when the turn is over."""

from voting.counting.bank import BankTerms
from voting.gateway.event_room import EventRoom


def may_move_deadline(room: EventRoom) -> bool:
    """A side of which nobody is connected here counts as having picked: no last pick is missed.

    So does one that may have picked elsewhere: only where both have as much time the deadline does not tell.
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

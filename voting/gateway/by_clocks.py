"""In a match by clocks: whether a pick that was taken here changes when the turn is over."""

from voting.counting.bank import BankTerms
from voting.gateway.hub import Room


def moves_deadline(room: Room) -> bool:
    """By those who are connected here; of whoever is not, it may have been the last pick."""
    match, turn = room.state.match, room.turn
    if match is None or turn is None or match.clocks is None:
        return False
    clocks = match.clocks
    cap_ms = None if clocks.cap_s is None else clocks.cap_s * 1000
    terms = BankTerms(
        clocks.bank_s * 1000, clocks.increment_s * 1000, cap_ms, match.no_ballot_rule == "forfeit"
    )
    left = {side: clocks.red_ms if side == "red" else clocks.yellow_ms for side in turn.to_move}
    picked = [side for side in turn.to_move if not room.waiting_of(side)]
    return turn.opens_at + terms.over_after(left, picked) != turn.closes_at

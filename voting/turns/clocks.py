"""Time banks of a match with clocks: what each side has left, and when that ends a turn.

A match without a time bank has a fixed window for each turn, and runs none of this. All times are Unix
milliseconds of the ballot box, all durations milliseconds.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from games.engine.game import SIDES, Side
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.bank import BankTerms
from voting.models import Match, Turn
from voting.positions import Position


def bank_terms(match: Match) -> BankTerms:
    """Return the match's time control."""
    return BankTerms.from_seconds(
        cast(int, match.bank_s), match.increment_s, match.cap_s, match.no_ballot_rule
    )


def banks_before(match: Match, last: Turn | None) -> dict[Side, int]:
    """Return each side's time left when the turn after `last` opens."""
    terms = bank_terms(match)
    return {side: terms.start_ms if last is None else _bank_after(terms, last, side) for side in SIDES}


def ends_after_ms(match: Match, left: Mapping[Side, int], to_move: Sequence[Side]) -> int:
    """Return how long a turn lasts if nobody picks."""
    return bank_terms(match).ends_after_ms({side: left[side] for side in to_move}, ())


def longest_ms(match: Match, left: Mapping[Side, int]) -> int:
    """Return how long a turn can take with these time banks."""
    return max(map(bank_terms(match).usable_ms, left.values()))


def side_ends_at(turn: Turn) -> dict[str, int]:
    """Return the `BoxedTurn` fields that say when each side runs out of time in this turn."""
    terms = bank_terms(turn.match)
    return {f"{side}_ends_at": turn.opens_at + terms.usable_ms(bank_ms(turn, side)) for side in SIDES}


def turn_ends_at(turn: Turn, position: Position, box: BallotBox) -> int:
    """Return when the turn ends, given the picks so far.

    A crowd that has some votes may run out of time while the other one has none. The turn then goes on, so
    that the other one can use its own time.
    """
    terms, left = bank_terms(turn.match), time_left(turn, position)
    ends_after_ms = terms.ends_after_ms(left, picked_at(turn, box))
    if turn.match.crowd_clocks:
        ends_after_ms = max(ends_after_ms, terms.ends_after_ms(left, _voted_at(turn, box)))
    return turn.opens_at + ends_after_ms


def out_of_time(turn: Turn, position: Position, picked: Sequence[Side]) -> list[Side]:
    """Return the sides without a pick whose time was used up at the deadline.

    The deadline decides, not the time at which the turn was sealed.
    """
    lasted = turn.closes_at - turn.opens_at
    return bank_terms(turn.match).out_of_time(time_left(turn, position), picked, lasted)


def time_used(turn: Turn, position: Position, box: BallotBox) -> dict[str, int]:
    """Return the `Turn` fields with the time that each side to move used.

    Call it after the turn is sealed.
    """
    terms = bank_terms(turn.match)
    at = picked_at(turn, box)
    left = time_left(turn, position)
    lasted = turn.closes_at - turn.opens_at
    took = {side: at[side] - turn.opens_at if side in at else lasted for side in left}
    return {f"{side}_used_ms": max(0, min(took[side], terms.usable_ms(left[side]))) for side in left}


def time_left(turn: Turn, position: Position) -> dict[Side, int]:
    """Return the time left when the turn opened, for the sides to move."""
    return {side: bank_ms(turn, side) for side in position.to_move}


def picked_at(turn: Turn, box: BallotBox) -> dict[Side, int]:
    """Return since when each side has the ballot that counts, from the ballot box or the database.

    With crowd clocks it is the time since when every connected voter of the side has voted.
    """
    if turn.match.crowd_clocks:
        return box.all_voted_at(turn.match.event_id, turn.pk)
    return _voted_at(turn, box)


def bank_ms(turn: Turn, side: Side) -> int:
    """Return the side's time left when the turn opened; 0 in a match with fixed windows."""
    return int(getattr(turn, f"{side}_bank_ms") or 0)


def _voted_at(turn: Turn, box: BallotBox) -> dict[Side, int]:
    """Return since when each side has a ballot."""
    stored = dict(turn.stored_ballots.values_list("side", "stored_at"))
    known = box.picked_at(turn.match.event_id, turn.pk)
    at = {side: known.get(side) or stored.get(side) for side in SIDES if side in known or side in stored}
    return {side: moment or turn.opens_at for side, moment in at.items()}


def _bank_after(terms: BankTerms, turn: Turn, side: Side) -> int:
    took = getattr(turn, f"{side}_used_ms")
    return bank_ms(turn, side) if took is None else terms.after_turn(bank_ms(turn, side), took)

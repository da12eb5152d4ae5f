"""Time bank: what each side has left, when a turn ends, and which sides ran out of time.

All times are whole milliseconds. A side's clock runs from the opening of the turn until the ballot that
counts arrives.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from games.engine.game import Side
from voting.terms import NoBallotRule

TimeLeft = Mapping[Side, int]


@dataclass(frozen=True, slots=True)
class BankTerms:
    """The time control of a match.

    A side may use at most `cap_ms` in one turn. If `time_loses`, a side that runs out of time loses.
    """

    start_ms: int
    increment_ms: int = 0
    cap_ms: int | None = None
    time_loses: bool = True

    @classmethod
    def from_seconds(
        cls, bank_s: int, increment_s: int, cap_s: int | None, no_ballot: str | None
    ) -> "BankTerms":
        """Convert a match's fields, which are in seconds.

        `no_ballot` is its rule for a side without ballots.
        """
        cap_ms = None if cap_s is None else cap_s * 1000
        return cls(bank_s * 1000, increment_s * 1000, cap_ms, no_ballot == NoBallotRule.FORFEIT)

    def usable_ms(self, left_ms: int) -> int:
        """Return how much of the time left a side may use in one turn."""
        return left_ms if self.cap_ms is None else min(left_ms, self.cap_ms)

    def after_turn(self, left_ms: int, used_ms: int) -> int:
        """Return the time left after a turn, with the increment."""
        return left_ms - max(0, min(used_ms, self.usable_ms(left_ms))) + self.increment_ms

    def ends_after_ms(self, left: TimeLeft, picked: Collection[Side]) -> int:
        """Return how long after its opening a turn ends if nobody else picks; 0 once all have picked.

        `left` holds the sides to move. If time loses, the first side to run out ends the turn. Otherwise the
        turn lasts until the last side has run out.
        """
        waited = [self.usable_ms(left[side]) for side in left if side not in picked]
        if not waited:
            return 0
        return min(waited) if self.time_loses else max(waited)

    def out_of_time(self, left: TimeLeft, picked: Collection[Side], after_ms: int) -> list[Side]:
        """Return the sides that have not picked and have no time left `after_ms` after the opening."""
        return [side for side in left if side not in picked and self.usable_ms(left[side]) <= after_ms]

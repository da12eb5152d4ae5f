"""Two clocks in place of a window: what each side has left, when a turn is over, and who ran out of time.

All in whole milliseconds. A side's clock runs from when the turn opens until its ballot that counts came.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from games.engine.game import Side

TimeLeft = Mapping[Side, int]


@dataclass(frozen=True, slots=True)
class BankTerms:
    """`cap_ms`: of its time a side may use so much in one turn. `time_loses`: who runs out of it has lost."""

    start_ms: int
    increment_ms: int = 0
    cap_ms: int | None = None
    time_loses: bool = True

    @classmethod
    def from_seconds(
        cls, bank_s: int, increment_s: int, cap_s: int | None, no_ballot: str | None
    ) -> "BankTerms":
        """As a match says it, in seconds; `no_ballot` is its rule for a side without one."""
        cap_ms = None if cap_s is None else cap_s * 1000
        return cls(bank_s * 1000, increment_s * 1000, cap_ms, no_ballot == "forfeit")

    def usable_ms(self, left_ms: int) -> int:
        """How much of what it has left a side may use in one turn."""
        return left_ms if self.cap_ms is None else min(left_ms, self.cap_ms)

    def after_turn(self, left_ms: int, used_ms: int) -> int:
        return left_ms - max(0, min(used_ms, self.usable_ms(left_ms))) + self.increment_ms

    def ends_after_ms(self, left: TimeLeft, picked: Collection[Side]) -> int:
        """How long after its opening a turn is over, if nobody else picks; 0 once all have.

        `left` is of the sides to move. Where time loses, whoever runs out first ends it; else all are
        waited for.
        """
        waited = [self.usable_ms(left[side]) for side in left if side not in picked]
        if not waited:
            return 0
        return min(waited) if self.time_loses else max(waited)

    def out_of_time(self, left: TimeLeft, picked: Collection[Side], after_ms: int) -> list[Side]:
        """Who has not picked, and so long after the opening cannot any more."""
        return [side for side in left if side not in picked and self.usable_ms(left[side]) <= after_ms]

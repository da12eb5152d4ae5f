"""The clocks that a game of the hall may be played by."""

from dataclasses import dataclass

MINUTE_S, DAY_S = 60, 24 * 3600


@dataclass(frozen=True, slots=True)
class Pace:
    """`bank_s` on each clock, `increment_s` more after each turn; the reveal takes `reveal_s`.

    A game that waits for somebody is listed for `waits_s`: longer, nobody would be there any more.
    """

    slug: str
    title: str
    bank_s: int
    increment_s: int = 0
    reveal_s: int = 5
    waits_s: int = 15 * MINUTE_S


PACES = (
    Pace("1-min", "1 minute", MINUTE_S, reveal_s=4),
    Pace("5-min", "5 minutes + 5 s", 5 * MINUTE_S, 5),
    Pace("3-days", "3 days", 3 * DAY_S, waits_s=7 * DAY_S),
    Pace("30-days", "30 days", 30 * DAY_S, waits_s=30 * DAY_S),
)
USUAL = PACES[1]
BY_SLUG = {pace.slug: pace for pace in PACES}
_BY_CLOCK = {(pace.bank_s, pace.increment_s): pace for pace in PACES}


def pace_of(bank_s: int | None, increment_s: int) -> Pace:
    return _BY_CLOCK.get((bank_s or 0, increment_s), USUAL)

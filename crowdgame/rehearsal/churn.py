"""What happens to a crowd's connections: a hall that drops and comes back as one, or phones that wander."""

import asyncio
from collections.abc import Sequence

from crowdgame.rehearsal.hall import Hall
from crowdgame.rehearsal.phone import BACK_OFF_S, Phone
from voting.protocol import Turn

LOOK_S = 0.05
WANDER_S = 0.25
WANDERING_A_SECOND = 0.02
AWAY_S = 2.0


async def stampede(phones: Sequence[Phone], hall: Hall, turns_before: int) -> None:
    """In the middle of a window, once: everybody's network is gone for a moment, and all come back as one."""
    seen: set[int] = set()
    while True:
        await asyncio.sleep(LOOK_S)
        if turn := hall.turn:
            seen.add(turn.id)
            if len(seen) > turns_before and _is_half_over(turn, hall):
                break
    for phone in phones:
        phone.cut(BACK_OFF_S)


def _is_half_over(turn: Turn, hall: Hall) -> bool:
    return not turn.paused and hall.clock.until((turn.opens_at + turn.closes_at) / 2) <= 0


async def wander(phones: Sequence[Phone], hall: Hall) -> None:
    """All the time some leave one network for another, every second one just as its ballot goes out."""
    due = 0.0
    while True:
        await asyncio.sleep(WANDER_S)
        due += len(phones) * WANDERING_A_SECOND * WANDER_S
        for number, phone in enumerate(hall.rng.sample(phones, int(due))):
            phone.cut(AWAY_S, at_ballot=number % 2 == 1)
        due -= int(due)

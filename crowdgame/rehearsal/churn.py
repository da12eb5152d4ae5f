"""What happens to a crowd's connections: a hall that drops and comes back as one, or phones that wander."""

import asyncio
from collections.abc import Sequence

from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.simulated_phone import BACK_OFF_S, Phone
from voting.protocol import Turn

POLL_S = 0.05
CHURN_EVERY_S = 0.25
CHURN_PER_SECOND = 0.02
AWAY_S = 2.0


async def drop_all_connections(phones: Sequence[Phone], context: RehearsalContext, turns_before: int) -> None:
    """In the middle of a window, once: everybody's network is gone for a moment, and all come back as one."""
    seen: set[int] = set()
    while True:
        await asyncio.sleep(POLL_S)
        if turn := context.turn:
            seen.add(turn.id)
            if len(seen) > turns_before and _is_half_over(turn, context):
                break
    for phone in phones:
        phone.drop_connection(BACK_OFF_S)


def _is_half_over(turn: Turn, context: RehearsalContext) -> bool:
    return not turn.paused and context.clock.until((turn.opens_at + turn.closes_at) / 2) <= 0


async def churn_connections(phones: Sequence[Phone], context: RehearsalContext) -> None:
    """All the time some leave one network for another, every second one just as its ballot goes out."""
    due = 0.0
    while True:
        await asyncio.sleep(CHURN_EVERY_S)
        due += len(phones) * CHURN_PER_SECOND * CHURN_EVERY_S
        for number, phone in enumerate(context.rng.sample(phones, int(due))):
            phone.drop_connection(AWAY_S, at_ballot=number % 2 == 1)
        due -= int(due)

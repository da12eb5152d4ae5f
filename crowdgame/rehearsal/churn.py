"""Connection churn of a simulated crowd: all connections drop at once (herd), or some at any time (churn)."""

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
    """Drop all connections once, in the middle of a turn's window. All reconnect within BACK_OFF_S.

    Waits for `turns_before` turns first.
    """
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
    """Drop a share of CHURN_PER_SECOND of the connections every second, forever.

    Every second one is dropped just as its ballot is sent.
    """
    due = 0.0
    while True:
        await asyncio.sleep(CHURN_EVERY_S)
        due += len(phones) * CHURN_PER_SECOND * CHURN_EVERY_S
        for number, phone in enumerate(context.rng.sample(phones, int(due))):
            phone.drop_connection(AWAY_S, at_ballot=number % 2 == 1)
        due -= int(due)

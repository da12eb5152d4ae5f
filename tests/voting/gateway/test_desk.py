"""The desk before a door, when the database is slow: who waits, and who is told when to come back."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.voting.rooms import playing
from voting import protocol
from voting.admission.admission import WRONG_AT_ONCE
from voting.gateway.admission_queue import NEWCOMERS_WAIT_S, Crowded, Pace
from voting.gateway.ticket_claims import CLAIMS_AT_ONCE, Desk, TurnedAway
from voting.protocol import MAX_RETRY_MS

EVENT = 7
MOST = int(Pace().most_waiting(NEWCOMERS_WAIT_S))
COMERS = MOST + 3 * CLAIMS_AT_ONCE
JOIN = protocol.PhoneJoin(code="BCDF", key="BCDF-GHJK")


def test_so_many_wait_and_the_next_are_told_when_to_come_back() -> None:
    async def come_all() -> tuple[list[Any], list[Any]]:
        slow = asyncio.Event()

        def in_database(claim: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
            async def claimed(event_id: int, shown: list[Any]) -> list[str]:
                await slow.wait()
                return ["key_wrong"] * len(shown)

            return claimed

        desk, state = Desk(EVENT, in_database), playing(1)
        come = [asyncio.create_task(desk.claim(JOIN, state, 0)) for _ in range(COMERS)]
        done, waiting = await asyncio.wait(come, timeout=1)
        slow.set()
        told = await asyncio.gather(*waiting, return_exceptions=True)
        return [task.exception() for task in done], told

    sent_away, others = asyncio.run(come_all())
    assert COMERS - MOST - CLAIMS_AT_ONCE <= len(sent_away) <= COMERS - MOST
    hints = [trouble.within_ms for trouble in sent_away if isinstance(trouble, Crowded)]
    assert len(hints) == len(sent_away)
    assert 0 < min(hints) < max(hints) <= MAX_RETRY_MS
    assert sum(isinstance(told, TurnedAway) for told in others) >= WRONG_AT_ONCE
    assert all(isinstance(told, (TurnedAway, Crowded)) for told in others)

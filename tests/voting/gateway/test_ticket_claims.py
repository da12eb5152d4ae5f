"""The desk before a door, when the database is slow: who waits, and who is told when to come back."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.voting.gateway_helpers import playing
from voting import protocol
from voting.admission.admission import WRONG_AT_ONCE
from voting.gateway.admission_queue import NEW_VOTERS_WAIT_S, AdmissionRate, Crowded
from voting.gateway.ticket_claims import CLAIMS_AT_ONCE, AdmissionDenied, TicketClaims
from voting.protocol import MAX_RETRY_MS

EVENT = 7
MOST = int(AdmissionRate().max_waiting(NEW_VOTERS_WAIT_S))
JOINERS = MOST + 3 * CLAIMS_AT_ONCE
JOIN = protocol.PhoneJoin(code="BCDF", key="BCDF-GHJK")


def test_so_many_wait_and_the_next_are_told_when_to_come_back() -> None:
    async def come_all() -> tuple[list[Any], list[Any]]:
        slow = asyncio.Event()

        def in_database(claim: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
            async def claimed(event_id: int, shown: list[Any]) -> list[str]:
                await slow.wait()
                return ["key_wrong"] * len(shown)

            return claimed

        ticket_claims, state = TicketClaims(EVENT, in_database), playing(1)
        come = [asyncio.create_task(ticket_claims.claim(JOIN, state, 0)) for _ in range(JOINERS)]
        done, waiting = await asyncio.wait(come, timeout=1)
        slow.set()
        outcome = await asyncio.gather(*waiting, return_exceptions=True)
        return [task.exception() for task in done], outcome

    sent_away, others = asyncio.run(come_all())
    assert JOINERS - MOST - CLAIMS_AT_ONCE <= len(sent_away) <= JOINERS - MOST
    hints = [error.within_ms for error in sent_away if isinstance(error, Crowded)]
    assert len(hints) == len(sent_away)
    assert 0 < min(hints) < max(hints) <= MAX_RETRY_MS
    assert sum(isinstance(outcome, AdmissionDenied) for outcome in others) >= WRONG_AT_ONCE
    assert all(isinstance(outcome, (AdmissionDenied, Crowded)) for outcome in others)

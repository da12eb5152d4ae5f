"""Ticket claims during a slow database: some clients wait, the others get a time to retry."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.voting.gateway_helpers import playing
from voting import protocol
from voting.admission.admission import WRONG_KEY_BURST
from voting.gateway.admission_queue import NEW_VOTERS_WAIT_S, AdmissionRate, RetryLater
from voting.gateway.ticket_claims import CLAIM_BATCH_SIZE, AdmissionDenied, TicketClaims
from voting.protocol import MAX_RETRY_MS

EVENT = 7
MOST = int(AdmissionRate().max_waiting(NEW_VOTERS_WAIT_S))
JOINERS = MOST + 3 * CLAIM_BATCH_SIZE
JOIN = protocol.PhoneJoin(code="BCDF", key="BCDF-GHJK")


def test_ticket_claims_over_limit_receive_retry_delay() -> None:
    async def claim_all() -> tuple[list[Any], list[Any]]:
        slow = asyncio.Event()

        def in_database(claim: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
            async def claimed(event_id: int, shown: list[Any]) -> list[str]:
                await slow.wait()
                return ["key_wrong"] * len(shown)

            return claimed

        ticket_claims, state = TicketClaims(EVENT, in_database), playing(1)
        claims = [asyncio.create_task(ticket_claims.claim(JOIN, state, 0)) for _ in range(JOINERS)]
        done, waiting = await asyncio.wait(claims, timeout=1)
        slow.set()
        outcome = await asyncio.gather(*waiting, return_exceptions=True)
        return [task.exception() for task in done], outcome

    rejected, others = asyncio.run(claim_all())
    assert JOINERS - MOST - CLAIM_BATCH_SIZE <= len(rejected) <= JOINERS - MOST
    delays_ms = [error.within_ms for error in rejected if isinstance(error, RetryLater)]
    assert len(delays_ms) == len(rejected)
    assert 0 < min(delays_ms) < max(delays_ms) <= MAX_RETRY_MS
    assert sum(isinstance(outcome, AdmissionDenied) for outcome in others) >= WRONG_KEY_BURST
    assert all(isinstance(outcome, (AdmissionDenied, RetryLater)) for outcome in others)

"""Ticket claims at a gateway: check the keys of new voters (tickets, roster codes, rotating codes).

Rotating codes are checked in memory, with a limit on guesses for the whole event. Tickets are too long to
guess. They are claimed in batches of one transaction: those presented during a claim go into the next batch.
When the queue is full, clients get a time to retry.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from django.db import Error, OperationalError

from voting import protocol
from voting.admission.admission import (
    ROTATING_LENGTH,
    GuessLimiter,
    is_rotating_code,
    is_stale_code,
    is_ticket_code,
)
from voting.admission.tickets import (
    ClaimedTicket,
    PresentedKey,
    TicketRefusal,
    claim_tickets,
    release_tickets,
)
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway.admission_queue import NEW_VOTERS_WAIT_S, AdmissionRate, RetryLater
from voting.protocol import ErrorCode
from voting.terms import Admission, TeamChoice
from voting.typed_codes import normalize_code

log = logging.getLogger(__name__)

CLAIM_BATCH_SIZE = 100
GUESSED_RETRY_MS = 15_000

# Wraps a function to run it in a thread that may use the database.
InDatabase = Callable[[Callable[..., Any]], Callable[..., Awaitable[Any]]]
PendingClaim = tuple[PresentedKey, "asyncio.Future[ClaimedTicket]"]


class AdmissionDenied(Exception):
    """A new voter is refused, but the socket may stay and try again. `code` is the reason."""

    def __init__(self, code: ErrorCode) -> None:
        self.code = code


class TicketClaims:
    """The claims of event `event_id` at one gateway."""

    def __init__(self, event_id: int, in_database: InDatabase) -> None:
        self._event_id = event_id
        self._in_database = in_database
        self._guesses = GuessLimiter()
        self._rate = AdmissionRate()
        self._waiting: list[PendingClaim] = []
        self._task: asyncio.Task[None] | None = None
        self._releasing: set[asyncio.Task[None]] = set()

    def check_code(self, code: str, key: str | None, now: int) -> None:
        """Check the rotating code that the projector shows, typed or from its link. `now` is in milliseconds.

        Raises AdmissionDenied if it is wrong or missing, and RetryLater for a typed code after too many
        wrong ones.
        """
        shown = _require_key(key)
        typed = len(shown) == ROTATING_LENGTH
        if typed and self._guesses.is_exhausted(time.monotonic()):
            raise RetryLater(GUESSED_RETRY_MS)
        if not is_rotating_code(code, shown, now):
            if typed and not is_stale_code(code, shown, now):
                self._guesses.count()
            raise AdmissionDenied("key_wrong")

    async def claim(self, join: protocol.PhoneJoin, event: protocol.EventState, now: int) -> ClaimedTicket:
        """Claim the ticket or roster code in `join.key` for a voter.

        Raises AdmissionDenied, RetryLater (full queue) and one of DATABASE_ERRORS.
        """
        key = _require_key(join.key)
        if not is_ticket_code(key):
            raise AdmissionDenied("key_wrong")
        if len(self._waiting) >= self._rate.max_waiting(NEW_VOTERS_WAIT_S):
            raise RetryLater(self._rate.schedule_retry(len(self._waiting)))
        balance_teams = event.team_choice == TeamChoice.BALANCE
        team = 0 if balance_teams else join.team or 0
        shown = PresentedKey(key, team, now, event.admission != Admission.TICKETS, balance_teams)
        claimed: asyncio.Future[ClaimedTicket] = asyncio.get_running_loop().create_future()
        self._waiting.append((shown, claimed))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._claim_all())
        return await claimed

    def release(self, ticket: int) -> None:
        """Release a ticket in the background: its voter was not admitted after all."""
        task = asyncio.create_task(self._release(ticket))
        self._releasing.add(task)
        task.add_done_callback(self._releasing.discard)

    async def _release(self, ticket: int) -> None:
        with suppress(*DATABASE_ERRORS):  # the organizer can still release it
            await self._in_database(release_tickets)(self._event_id, [ticket])

    async def _claim_all(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[:CLAIM_BATCH_SIZE], self._waiting[CLAIM_BATCH_SIZE:]
            here = [one for one in some if not one[1].done()]
            try:
                claims = await self._claims([shown for shown, _ in here])
            except DATABASE_ERRORS as error:
                for _, claimed in here:
                    _fail(claimed, error)
                continue
            for (_, claimed), claim in zip(here, claims, strict=True):
                self._answer(claimed, claim)

    async def _claims(self, shown: list[PresentedKey]) -> list[ClaimedTicket | TicketRefusal]:
        """Claim a batch. Raises one of DATABASE_ERRORS.

        Any other database error is logged and raised as OperationalError.
        """
        began = time.monotonic()
        try:
            claims: list[ClaimedTicket | TicketRefusal] = await self._in_database(claim_tickets)(
                self._event_id, shown
            )
        except DATABASE_ERRORS:
            raise
        except Error as error:
            log.exception("could not claim tickets", extra={"event": self._event_id})
            raise OperationalError("could not claim tickets") from error
        if len(shown) == CLAIM_BATCH_SIZE:
            self._rate.observe(CLAIM_BATCH_SIZE / (time.monotonic() - began))
        return claims

    def _answer(self, claimed: "asyncio.Future[ClaimedTicket]", claim: ClaimedTicket | TicketRefusal) -> None:
        if not isinstance(claim, ClaimedTicket):
            _fail(claimed, AdmissionDenied(claim))
        elif not claimed.done():
            claimed.set_result(claim)
        elif claim.first:  # the client has disconnected
            self.release(claim.ticket)


def _fail(claimed: "asyncio.Future[ClaimedTicket]", error: Exception) -> None:
    if not claimed.done():
        claimed.set_exception(error)


def _require_key(key: str | None) -> str:
    """Return the key, normalized. Raises AdmissionDenied if it is missing."""
    if not key or not (code := normalize_code(key)):
        raise AdmissionDenied("key_needed")
    return code

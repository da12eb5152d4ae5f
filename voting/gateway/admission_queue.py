"""Admission queue (waiting room) of an event at one gateway: batches joins and spreads a thundering herd.

Joins that arrive while a call to the ballot box is in flight go into the next batch. Returning voters, who
have a seat, go before new voters, for whom a fifth of each batch is kept. When the queue is full, clients get
a time to retry (backpressure). It grows with the number of clients that were given one before, at the
measured admission rate.
"""

import asyncio
import time
from dataclasses import dataclass, field, replace

from django.conf import settings
from redis import RedisError

from voting.admission.seats import Seat, new_seat
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import ANY_TEAM, TeamWish
from voting.ballot_box.known_voters import JoinedVoter, VoterRecorder
from voting.ballot_box.shards import Shard
from voting.counting.ballots import Ballot
from voting.counting.voter_codes import derive_voter_code
from voting.gateway.live_event import LiveEvent
from voting.gateway.room_sockets import RoomSockets
from voting.gateway.voters import Socket
from voting.protocol import MAX_RETRY_MS

JOIN_BATCH_SIZE = 100
NEW_VOTERS_BATCH_SIZE = JOIN_BATCH_SIZE // 5
BATCH_PAUSE_S = 0.01  # larger batches cost less for each voter
MIN_QUEUE_LENGTH = 1_000
NEW_VOTERS_WAIT_S = 3.0
RETURNING_VOTERS_WAIT_S = 8.0
FULL_RETRY_MS = 15_000
INITIAL_RATE = 1_500.0  # high enough not to turn away the first rush before the rate is measured
RATE_WEIGHT = 0.1


class RetryLater(Exception):
    """The queue or the event is full. The client retries at a random time within `within_ms` milliseconds."""

    def __init__(self, within_ms: int) -> None:
        self.within_ms = within_ms


class AdmissionRate:
    """The measured admission rate of a queue, and the time up to which retries are scheduled."""

    def __init__(self) -> None:
        self._joins_per_second = INITIAL_RATE
        self._scheduled_until = 0.0

    def observe(self, a_second: float) -> None:
        """Update the moving average with a measured rate, in joins per second."""
        self._joins_per_second += RATE_WEIGHT * (a_second - self._joins_per_second)

    def max_waiting(self, patience_s: float) -> float:
        """How many may wait so that the last waits about `patience_s`; at least MIN_QUEUE_LENGTH."""
        return max(MIN_QUEUE_LENGTH, self._joins_per_second * patience_s)

    def within_ms(self, count: int) -> int:
        """The time that `count` joins take, in milliseconds; at most MAX_RETRY_MS."""
        return min(int(count / self._joins_per_second * 1000), MAX_RETRY_MS)

    def schedule_retry(self, waiting: int) -> int:
        """Reserve the next retry time and return it as `within_ms` for one client.

        A client retries at a random time within `within_ms`, on average after half of it. The result is
        therefore twice the estimated wait. It is at most MAX_RETRY_MS, so that clients that retry early and
        often cannot push the schedule back without limit.
        """
        now = time.monotonic()
        all_admitted_at = now + waiting / self._joins_per_second
        after_all = max(self._scheduled_until, all_admitted_at) + 1 / self._joins_per_second
        self._scheduled_until = min(after_all, now + MAX_RETRY_MS / 2000)
        return int((self._scheduled_until - now) * 2 * 1000)


@dataclass(frozen=True, slots=True)
class AdmittedVoter:
    """An admitted voter, and the ballot the voter already has in the turn `turn_ref` (id and epoch).

    `ticket` is the ticket that was claimed for this admission, if any.
    """

    seat: Seat
    turn_ref: tuple[int, int]
    ballot: Ballot | None
    ticket: int | None = None


@dataclass(frozen=True, slots=True)
class _Joiner:
    """A pending join. `wish` is None for a returning voter.

    A new voter has a `seat` already if it comes from a ticket or from the page.
    """

    seat: Seat | None
    wish: TeamWish | None
    admitted: asyncio.Future[AdmittedVoter] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class AdmissionQueue:
    """The admission queue of one event at one gateway. It calls `box` for one batch at a time."""

    def __init__(
        self, event: LiveEvent, sockets: RoomSockets, box: AsyncBallotBox, recorder: VoterRecorder
    ) -> None:
        self._event = event
        self._sockets = sockets
        self._box = box
        self._recorder = recorder
        self._returning: list[_Joiner] = []
        self._new_voters: list[_Joiner] = []
        self._rate = AdmissionRate()
        self._task: asyncio.Task[None] | None = None

    async def admit(self, seat: Seat | None, wish: TeamWish | None) -> AdmittedVoter:
        """Wait until the voter is admitted. A `wish`, or no seat, means a new voter.

        Raises RetryLater if the capacity of the event (EVENT_PHONES) or of the queue is
        reached, and redis.RedisError or OSError if the ballot box fails.
        """
        seated = len(self._sockets.phones) - len(self._sockets.unseated)
        if seated + self._waiting >= settings.EVENT_PHONES:
            raise RetryLater(FULL_RETRY_MS)
        joiner = _Joiner(seat, wish or ANY_TEAM if seat is None else wish)
        queue, patience_s = (
            (self._returning, RETURNING_VOTERS_WAIT_S)
            if joiner.wish is None
            else (self._new_voters, NEW_VOTERS_WAIT_S)
        )
        if len(queue) >= self._rate.max_waiting(patience_s):
            raise RetryLater(self._rate.schedule_retry(self._waiting))
        queue.append(joiner)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._admit_all())
        return await joiner.admitted

    def check_unseated(self, socket: Socket) -> None:
        """Check that the socket may stay without a seat: at most EVENT_PHONES may. Raises RetryLater."""
        unseated = self._sockets.unseated
        if socket not in unseated and len(unseated) >= settings.EVENT_PHONES:
            raise RetryLater(FULL_RETRY_MS)

    @property
    def _waiting(self) -> int:
        return len(self._returning) + len(self._new_voters)

    def within_ms(self, count: int) -> int:
        """The time that `count` joins take at the measured rate, in milliseconds."""
        return self._rate.within_ms(count)

    async def _admit_all(self) -> None:
        joiners: list[_Joiner] = []
        while self._returning or self._new_voters:
            if len(joiners) > 1 and self._waiting < JOIN_BATCH_SIZE:
                await asyncio.sleep(BATCH_PAUSE_S)
            began = time.monotonic()
            joiners = self._next()
            try:
                await self._admit_batch(joiners)
            except (RedisError, OSError) as error:
                for joiner in joiners:
                    _settle(joiner, error)
                continue
            await asyncio.sleep(0)  # let the admitted voters receive their welcome
            if len(joiners) == JOIN_BATCH_SIZE:
                self._rate.observe(JOIN_BATCH_SIZE / (time.monotonic() - began))

    def _next(self) -> list[_Joiner]:
        kept = min(len(self._new_voters), NEW_VOTERS_BATCH_SIZE)
        joiners = _take(self._returning, JOIN_BATCH_SIZE - kept)
        return joiners + _take(self._new_voters, JOIN_BATCH_SIZE - len(joiners))

    async def _admit_batch(self, joiners: list[_Joiner]) -> None:
        event_id, turn_ref = self._event.event_id, self._event.turn_ref
        held = await self._load_ballots(turn_ref[0], joiners)
        if not (joiners := [joiner for joiner in joiners if not joiner.admitted.done()]):
            return
        wishes = [joiner.wish for joiner in joiners if joiner.wish is not None]
        teams = iter(await self._box.assign_teams(event_id, wishes) if wishes else [])
        drawn = [0 if joiner.wish is None else next(teams) for joiner in joiners]
        seats = [_assign_seat(joiner, event_id, team) for joiner, team in zip(joiners, drawn, strict=True)]
        joined = {derive_voter_code(seat.voter): JoinedVoter(seat.team, seat.voter) for seat in seats}
        await self._recorder.record(event_id, joined, connected=True)
        for joiner, seat in zip(joiners, seats, strict=True):
            _settle(joiner, AdmittedVoter(seat, turn_ref, held.get(seat.voter)))

    async def _load_ballots(self, turn_id: int, joiners: list[_Joiner]) -> dict[str, Ballot]:
        """Return the ballots that the joiners have. Settles joiners whose shard is away: others can join."""
        event_id, shards = self._event.event_id, self._event.shards
        by_shard: dict[Shard, list[tuple[str, _Joiner]]] = {}
        for joiner in joiners:
            if joiner.seat is not None:
                voter = joiner.seat.voter
                by_shard.setdefault(Shard.of(voter, shards), []).append((voter, joiner))
        held: dict[str, Ballot] = {}
        for own in by_shard.values():
            try:
                held |= await self._box.load_ballots(event_id, turn_id, [voter for voter, _ in own], shards)
            except (RedisError, OSError) as error:
                for _, joiner in own:
                    _settle(joiner, error)
        return held


def _take(queue: list[_Joiner], count: int) -> list[_Joiner]:
    """Remove the first `count` from the queue and return those whose clients are still connected."""
    taken = [joiner for joiner in queue[:count] if not joiner.admitted.done()]
    del queue[:count]
    return taken


def _assign_seat(joiner: _Joiner, event_id: int, team: int) -> Seat:
    """Return the seat to admit the voter with.

    A returning voter keeps the seat. A new voter with an offered seat or a ticket gets it in the drawn team.
    """
    if joiner.seat is None:
        return new_seat(event_id, team)
    return joiner.seat if joiner.wish is None else replace(joiner.seat, team=team)


def _settle(joiner: _Joiner, outcome: AdmittedVoter | Exception) -> None:
    if joiner.admitted.done():  # the client disconnected
        return
    if isinstance(outcome, AdmittedVoter):
        joiner.admitted.set_result(outcome)
    else:
        joiner.admitted.set_exception(outcome)

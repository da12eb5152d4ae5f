"""A simulated crowd (load generator): phones that join, play to the end of the match, and leave together."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crowdgame.rehearsal.address import resolve
from crowdgame.rehearsal.churn import churn_connections, drop_all_connections
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.own_load import OwnLoad
from crowdgame.rehearsal.rehearsal_report import RehearsalReport, build_report
from crowdgame.rehearsal.saved_seats import write_seats
from crowdgame.rehearsal.simulated_phone import BACK_OFF_S, NO_KEY, Phone
from voting.protocol import CloseCode, EventState
from voting.terms import MatchState

TICK_S = 1.0
SHORT_TICK_S = 0.1
LAST_REVEAL_S = 5.0
SERVER_AWAY_S = 60.0
LEAVE_S = 0.8
ADD_PHONES_EVERY_S = 0.02
ALL_JOINED_WITHIN_S = 20.0
MIN_JOINS_PER_SECOND = 200.0
NO_KEYS_HINT = (
    "this event requires a code: pass --tickets FILE with one unused code per line; "
    "for the projector's code, set SECRET_KEY to the server's"
)


class RehearsalError(Exception):
    """The reason why a rehearsal is impossible, in one line."""


@dataclass(frozen=True, slots=True)
class CrowdPlan:
    """The size and duration of a crowd. `turns` None: until the match ends.

    `until_stopped`: no end, not even if the server is away. `joins_per_second` None: a rate at which all
    phones join within ALL_JOINED_WITHIN_S, but at least MIN_JOINS_PER_SECOND. `seats` is the file that stores
    seat tokens.
    """

    phones: int
    joins_per_second: float | None = None
    turns: int | None = None
    until_stopped: bool = False
    seats: Path | None = None


@dataclass(slots=True)
class CrowdProgress:
    """The state that a progress display shows."""

    context: RehearsalContext
    phones: int
    load: OwnLoad = field(default_factory=OwnLoad)


ShowProgress = Callable[[CrowdProgress], None]


class Crowd:
    """A simulated crowd. `show` is called about once a second."""

    def __init__(self, plan: CrowdPlan, context: RehearsalContext, show: ShowProgress) -> None:
        self._plan = plan
        self._context = context
        self._show = show
        self._stopped = asyncio.Event()
        self._phones = [Phone(index, context) for index in range(plan.phones)]
        self._phones_added = 0
        self._progress = CrowdProgress(context, plan.phones)
        self._playing: int | None = None
        self._last_turn: int | None = None
        self._seats_saved = 0
        context.on_state = self._check_finished

    def stop(self) -> None:
        self._stopped.set()

    async def play(self) -> RehearsalReport:
        """Run the rehearsal and return its report.

        Raises RehearsalError if the server cannot be reached or refuses all phones.
        """
        try:
            self._context.address = await resolve(self._context.address)
        except OSError as failure:
            raise RehearsalError(f"nobody can join at {self._context.address.url}: {failure}") from failure
        jobs = (self._watch(), self._wait_until_stopped(), *self._background_jobs())
        tasks = [asyncio.create_task(work) for work in jobs]
        try:
            await asyncio.wait(tasks[:2], return_when=asyncio.FIRST_COMPLETED)
            if tasks[0].done():
                tasks[0].result()
        finally:
            report = build_report(self._context, self._plan.phones, self._progress.load)
            await self._leave(tasks)
            self._save_seats()
        return report

    async def _wait_until_stopped(self) -> None:
        await self._stopped.wait()

    def _background_jobs(self) -> list[Coroutine[Any, Any, None]]:
        jobs = [self._add_phones()]
        if self._context.profile == "herd":
            jobs.append(
                drop_all_connections(self._phones, self._context, turns_before=int(self._plan.turns != 1))
            )
        if self._context.profile == "churn":
            jobs.append(churn_connections(self._phones, self._context))
        return jobs

    async def _add_phones(self) -> None:
        """Connect the phones at the planned rate, after the first one has received an answer.

        Without a server, the other phones don't try.
        """
        self._add_phones_up_to(1)
        await self._context.answered.wait()
        began = time.perf_counter()
        while self._phones_added < len(self._phones):
            self._add_phones_up_to(1 + int((time.perf_counter() - began) * self._joins_per_second))
            await asyncio.sleep(ADD_PHONES_EVERY_S)

    def _add_phones_up_to(self, number: int) -> None:
        for phone in self._phones[self._phones_added : number]:
            phone.connect()
        self._phones_added = max(self._phones_added, min(number, len(self._phones)))

    @property
    def _joins_per_second(self) -> float:
        """The join rate. A herd joins within BACK_OFF_S, the longest first delay of a reconnecting phone."""
        if self._context.profile == "herd":
            return self._plan.phones / BACK_OFF_S
        return self._plan.joins_per_second or max(
            MIN_JOINS_PER_SECOND, self._plan.phones / ALL_JOINED_WITHIN_S
        )

    async def _watch(self) -> None:
        clock, last_contact_ms = self._context.clock, self._context.clock.local_ms()
        while not self._has_last_reveal_arrived():
            await asyncio.sleep(self._tick_s())
            self._progress.load.sample()
            self._show(self._progress)
            self._save_seats()
            self._check_refused()
            if self._context.connected or self._context.ledger.errors:
                last_contact_ms = clock.local_ms()
            self._check_server((clock.local_ms() - last_contact_ms) / 1000)

    def _tick_s(self) -> float:
        """Short while the crowd waits for a server or for the last reveal."""
        waits = not self._context.connected or self._last_turn is not None
        return SHORT_TICK_S if waits else TICK_S

    def _check_refused(self) -> None:
        """Raises RehearsalError once the server has refused every connected phone for good."""
        if self._phones_added and all(phone.away for phone in self._phones[: self._phones_added]):
            if str(CloseCode.NO_SUCH_EVENT) in self._context.ledger.away:
                raise RehearsalError(f"there is no event with the code {self._context.code}")
            if NO_KEY & self._context.ledger.errors.keys():
                raise RehearsalError(NO_KEYS_HINT)
            raise RehearsalError(f"the server rejected all phones: {dict(self._context.ledger.away)}")

    def _check_server(self, silent_s: float) -> None:
        """Raises RehearsalError if the server cannot be reached at first, or is away for SERVER_AWAY_S."""
        if self._plan.until_stopped:
            return
        first = self._phones[0]
        if not self._context.answered.is_set() and first.is_unreachable:
            raise RehearsalError(f"nobody can join at {self._context.address.url}: {first.failure}")
        if silent_s > SERVER_AWAY_S:
            raise RehearsalError(
                f"the server has been unreachable for {SERVER_AWAY_S:.0f} s: {first.failure}"
            )

    def _check_finished(self, state: EventState) -> None:
        """Stop voting after the crowd's last turn, and stop the crowd at most LAST_REVEAL_S later."""
        match = state.match
        if self._plan.until_stopped or self._last_turn is not None or match is None:
            return
        if match.state == MatchState.PLAYING:
            self._playing = match.id
        ended = match.id == self._playing and match.state != MatchState.PLAYING
        wanted = self._plan.turns
        enough = ended if wanted is None else self._context.ledger.revealed >= wanted
        if enough or (ended and state.next_match_at is None):
            self._context.voting_over = True
            self._last_turn = match.reveal.turn if match.reveal else 0
            asyncio.get_running_loop().call_later(LAST_REVEAL_S, self.stop)

    def _has_last_reveal_arrived(self) -> bool:
        if self._last_turn is None:
            return False
        entry = self._context.ledger.turns.get(self._last_turn)
        return entry is None or entry.reveals_received >= self._context.connected

    async def _leave(self, tasks: list[asyncio.Task[None]]) -> None:
        for phone in self._phones:
            phone.leave()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=LEAVE_S)

    def _save_seats(self) -> None:
        if self._plan.seats and self._seats_saved != self._context.ledger.joined:
            write_seats(self._plan.seats, self._context.code, self._context.tokens)
            self._seats_saved = self._context.ledger.joined

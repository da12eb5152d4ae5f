"""A crowd: phones that come, play until it is over, and leave together."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crowdgame.rehearsal.address import look_up
from crowdgame.rehearsal.churn import stampede, wander
from crowdgame.rehearsal.hall import Hall
from crowdgame.rehearsal.kept_seats import write_seats
from crowdgame.rehearsal.own_load import OwnLoad
from crowdgame.rehearsal.phone import BACK_OFF_S, NO_KEY, Phone
from crowdgame.rehearsal.report import Report, report_of
from voting.protocol import CloseCode, EventState

TICK_S = 1.0
SHORT_TICK_S = 0.1
LAST_REVEAL_S = 5.0
SERVER_AWAY_S = 60.0
LEAVE_S = 0.8
COME_EVERY_S = 0.02
ALL_IN_S = 20.0
LEAST_JOINS_A_SECOND = 200.0
NO_KEYS = (
    "this event asks newcomers for a key: give --tickets FILE with unused codes, one a line; "
    "for the code of the moment set SECRET_KEY to the server's"
)


class RehearsalError(Exception):
    """Why there is no rehearsal, in one line."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`turns` None: until the match is over. `until_stopped`: for ever, also while the server is away.

    `joins_a_second` None: so many that all are in after a while.
    """

    phones: int
    joins_a_second: float | None = None
    turns: int | None = None
    until_stopped: bool = False
    seats: Path | None = None


@dataclass(slots=True)
class Progress:
    """What a display shows."""

    hall: Hall
    phones: int
    load: OwnLoad = field(default_factory=OwnLoad)


Show = Callable[[Progress], None]


class Crowd:
    """`show` is called about once a second."""

    def __init__(self, plan: Plan, hall: Hall, show: Show) -> None:
        self._plan = plan
        self._hall = hall
        self._show = show
        self._over = asyncio.Event()
        self._phones = [Phone(index, hall) for index in range(plan.phones)]
        self._come = 0
        self._progress = Progress(hall, plan.phones)
        self._playing: int | None = None
        self._last_turn: int | None = None
        self._seats_kept = 0
        hall.on_news = self._hear

    def stop(self) -> None:
        self._over.set()

    async def play(self) -> Report:
        """Raises RehearsalError when there is no server, or no such event."""
        try:
            self._hall.address = await look_up(self._hall.address)
        except OSError as trouble:
            raise RehearsalError(f"nobody can join at {self._hall.address.url}: {trouble}") from trouble
        works = (self._watch(), self._over_at_last(), *self._doings())
        working = [asyncio.create_task(work) for work in works]
        try:
            await asyncio.wait(working[:2], return_when=asyncio.FIRST_COMPLETED)
            if working[0].done():
                working[0].result()
        finally:
            report = report_of(self._hall, self._plan.phones, self._progress.load)
            await self._leave(working)
            self._keep_seats()
        return report

    async def _over_at_last(self) -> None:
        await self._over.wait()

    def _doings(self) -> list[Coroutine[Any, Any, None]]:
        doings = [self._bring()]
        if self._hall.profile == "herd":
            doings.append(stampede(self._phones, self._hall, turns_before=int(self._plan.turns != 1)))
        if self._hall.profile == "churn":
            doings.append(wander(self._phones, self._hall))
        return doings

    async def _bring(self) -> None:
        """The first comes alone: if it finds no server, there is no need of two thousand to try."""
        self._bring_up_to(1)
        await self._hall.answered.wait()
        began = time.perf_counter()
        while self._come < len(self._phones):
            self._bring_up_to(1 + int((time.perf_counter() - began) * self._pace))
            await asyncio.sleep(COME_EVERY_S)

    def _bring_up_to(self, number: int) -> None:
        for phone in self._phones[self._come : number]:
            phone.come()
        self._come = max(self._come, min(number, len(self._phones)))

    @property
    def _pace(self) -> float:
        """A herd is as one as the protocol lets phones be."""
        if self._hall.profile == "herd":
            return self._plan.phones / BACK_OFF_S
        return self._plan.joins_a_second or max(LEAST_JOINS_A_SECOND, self._plan.phones / ALL_IN_S)

    async def _watch(self) -> None:
        clock, heard_ms = self._hall.clock, self._hall.clock.local_ms()
        while not self._all_told():
            await asyncio.sleep(self._tick_s())
            self._progress.load.look()
            self._show(self._progress)
            self._keep_seats()
            self._check_away()
            if self._hall.connected or self._hall.ledger.errors:
                heard_ms = clock.local_ms()
            self._check_server((clock.local_ms() - heard_ms) / 1000)

    def _tick_s(self) -> float:
        """Short while the crowd waits for a server, or for the last reveal."""
        waits = not self._hall.connected or self._last_turn is not None
        return SHORT_TICK_S if waits else TICK_S

    def _check_away(self) -> None:
        """Raises RehearsalError once every phone that came was told to stay away."""
        if self._come and all(phone.away for phone in self._phones[: self._come]):
            if str(CloseCode.NO_SUCH_EVENT) in self._hall.ledger.away:
                raise RehearsalError(f"there is no event with the code {self._hall.code}")
            if NO_KEY & self._hall.ledger.errors.keys():
                raise RehearsalError(NO_KEYS)
            raise RehearsalError(f"the server wants no phones: {dict(self._hall.ledger.away)}")

    def _check_server(self, silent_s: float) -> None:
        if self._plan.until_stopped:
            return
        trouble = self._phones[0].trouble
        if not self._hall.answered.is_set() and trouble:
            raise RehearsalError(f"nobody can join at {self._hall.address.url}: {trouble}")
        if silent_s > SERVER_AWAY_S:
            raise RehearsalError(f"the server has been away for {SERVER_AWAY_S:.0f} s: {trouble}")

    def _hear(self, state: EventState) -> None:
        """Whether this was the last turn that this crowd plays."""
        match = state.match
        if self._plan.until_stopped or self._last_turn is not None or match is None:
            return
        if match.state == "playing":
            self._playing = match.id
        ended = match.id == self._playing and match.state != "playing"
        wanted = self._plan.turns
        enough = ended if wanted is None else self._hall.ledger.revealed >= wanted
        if enough or (ended and state.next_match_at is None):
            self._hall.played_out = True
            self._last_turn = match.reveal.turn if match.reveal else 0
            asyncio.get_running_loop().call_later(LAST_REVEAL_S, self.stop)

    def _all_told(self) -> bool:
        if self._last_turn is None:
            return False
        entry = self._hall.ledger.turns.get(self._last_turn)
        return entry is None or entry.told >= self._hall.connected

    async def _leave(self, tasks: list[asyncio.Task[None]]) -> None:
        for phone in self._phones:
            phone.leave()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=LEAVE_S)

    def _keep_seats(self) -> None:
        if self._plan.seats and self._seats_kept != self._hall.ledger.joined:
            write_seats(self._plan.seats, self._hall.code, self._hall.tokens)
            self._seats_kept = self._hall.ledger.joined

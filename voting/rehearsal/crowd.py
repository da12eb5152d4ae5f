"""A crowd: phones that come one after another, play until it is over, and leave together."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from voting.protocol import CloseCode, EventState
from voting.rehearsal.hall import Hall
from voting.rehearsal.kept_seats import write_seats
from voting.rehearsal.phone import Phone
from voting.rehearsal.report import Report, report_of

TICK_S = 1.0
SHORT_TICK_S = 0.1
LAST_REVEAL_S = 5.0
SERVER_AWAY_S = 60.0
LEAVE_S = 0.8

Show = Callable[[Hall, int], None]


class RehearsalError(Exception):
    """Why there is no rehearsal, in one line."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`turns` None: until the match is over. `until_stopped`: for ever, also while the server is away."""

    phones: int
    joins_a_second: float = 200.0
    turns: int | None = None
    until_stopped: bool = False
    seats: Path | None = None


class Crowd:
    """`show` is called about once a second."""

    def __init__(self, plan: Plan, hall: Hall, show: Show) -> None:
        self._plan = plan
        self._hall = hall
        self._show = show
        self._over = asyncio.Event()
        self._phones = [Phone(index, hall) for index in range(plan.phones)]
        self._lives: list[asyncio.Task[None]] = []
        self._last_turn: int | None = None
        self._seats_kept = 0
        hall.on_reveal = self._revealed

    def stop(self) -> None:
        self._over.set()

    async def play(self) -> Report:
        """Raises RehearsalError when there is no server, or no such event."""
        watching = asyncio.create_task(self._watch())
        coming = asyncio.create_task(self._come())
        ended = asyncio.create_task(self._until_stopped())
        try:
            await asyncio.wait({watching, ended}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                watching.result()
        finally:
            report = report_of(self._hall, self._plan.phones)
            await self._leave([watching, coming, ended, *self._lives])
            self._keep_seats()
        return report

    async def _until_stopped(self) -> None:
        await self._over.wait()

    async def _come(self) -> None:
        """The first comes alone: if it finds no server, there is no need of two thousand to try."""
        for phone in self._phones:
            self._lives.append(asyncio.create_task(phone.live()))
            if len(self._lives) == 1:
                await phone.answered.wait()
            await asyncio.sleep(1 / self._plan.joins_a_second)

    async def _watch(self) -> None:
        clock, heard_ms = self._hall.clock, self._hall.clock.local_ms()
        while not self._all_told():
            await asyncio.sleep(self._tick_s())
            self._show(self._hall, self._plan.phones)
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
        done = [life for life in self._lives if life.done()]
        for life in done:
            life.result()
        if done and len(done) == len(self._lives):
            if str(CloseCode.NO_SUCH_EVENT) in self._hall.ledger.away:
                raise RehearsalError(f"there is no event with the code {self._hall.code}")
            raise RehearsalError(f"the server wants no phones: {dict(self._hall.ledger.away)}")

    def _check_server(self, silent_s: float) -> None:
        if self._plan.until_stopped:
            return
        trouble = self._phones[0].trouble
        if not self._hall.ledger.joined and trouble and not self._hall.ledger.errors:
            raise RehearsalError(f"nobody can join at {self._hall.address}: {trouble}")
        if silent_s > SERVER_AWAY_S:
            raise RehearsalError(f"the server has been away for {SERVER_AWAY_S:.0f} s: {trouble}")

    def _revealed(self, state: EventState) -> None:
        """Whether this was the last turn that this crowd plays."""
        if self._plan.until_stopped or self._last_turn is not None or state.match is None:
            return
        ended = state.match.state != "playing"
        nothing_comes = ended and state.next_match_at is None
        wanted = self._plan.turns
        enough = ended if wanted is None else self._hall.ledger.revealed >= wanted
        if state.match.reveal and (enough or nothing_comes):
            self._last_turn = state.match.reveal.turn
            self._hall.played_out = True
            asyncio.get_running_loop().call_later(LAST_REVEAL_S, self.stop)

    def _all_told(self) -> bool:
        if self._last_turn is None:
            return False
        return self._hall.ledger.turn(self._last_turn).told >= self._hall.connected

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

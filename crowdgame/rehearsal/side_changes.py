"""Whether the one who holds a simulated phone changes over between two turns, and insists on an answer."""

import asyncio
from collections.abc import Callable

from crowdgame.rehearsal.hall import Hall
from voting.protocol import EventState, SideChange, SideChanged, SideRefused, SideTaken, ToPhone

PATIENCE_S = 1.0
# Of the time until the window opens; the rest is for the answer.
IN_TIME = 0.8

Write = Callable[[SideChange], bool]


class Turncoat:
    """`write` sends if the phone is connected. Nothing happens but in a match with secret sides."""

    def __init__(self, index: int, hall: Hall, write: Write) -> None:
        self._index = index
        self._hall = hall
        self._write = write
        self._team = 0
        self._match = 0
        self._considered = 0
        self._known: tuple[SideTaken, ...] = ()
        self._asked: SideChange | None = None
        self._timer: asyncio.TimerHandle | None = None

    def welcome(self, team: int, changes: tuple[SideTaken, ...], state: EventState) -> None:
        self._team = team
        self.see(state)
        self.changed(changes)
        self._insist()

    def see(self, state: EventState) -> None:
        """Once a turn: is this the side to be on?"""
        match = state.match
        turn = match.turn if match else None
        if match is None or match.id != self._match:
            self._match, self._known = (match.id if match else 0), ()
        if match is None or turn is None or turn.number == 1 or turn.id == self._considered:
            return
        self._considered, self._asked = turn.id, None
        left_s = (turn.opens_at - self._hall.clock.now_ms()) / 1000
        wants = len(self._known) < match.defections and self._hall.rng.random() < self._hall.defect
        if wants and left_s > 0 and not turn.paused:
            self._in(self._hall.rng.uniform(0, left_s * IN_TIME), lambda: self._ask(turn.id))

    def _ask(self, turn: int) -> None:
        team = 3 - (self._known[-1].team if self._known else self._team)
        blind = f"{self._hall.rng.getrandbits(128):032x}"
        self._asked = SideChange(turn=turn, number=len(self._known) + 1, team=team, blind=blind)
        self._insist()

    def _insist(self) -> None:
        """Whatever was not answered may have been written down all the same."""
        if self._asked:
            self._write(self._asked)
            self._in(PATIENCE_S, self._insist)

    def _in(self, seconds: float, act: Callable[[], None]) -> None:
        self.leave()
        self._timer = asyncio.get_running_loop().call_later(seconds, act)

    def hear(self, message: ToPhone) -> None:
        if isinstance(message, SideChanged):
            self.changed(message.changes)
        elif isinstance(message, SideRefused):
            self.refused(message)

    def changed(self, changes: tuple[SideTaken, ...]) -> None:
        if len(changes) < len(self._known):
            return
        self._known = changes
        if self._asked and len(changes) >= self._asked.number:
            self._asked = None
        if changes:
            self._hall.ledger.changes[self._index] = tuple((one.turn, one.team) for one in changes)

    def refused(self, refused: SideRefused) -> None:
        if self._asked and refused.code != "busy" and refused.number == self._asked.number:
            self._hall.ledger.refused[f"side {refused.code}"] += 1
            self._asked = None

    def leave(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

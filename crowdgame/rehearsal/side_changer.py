"""Side changes of a simulated voter: asks for one between two turns, and resends until there is a reply."""

import asyncio
from collections.abc import Callable

from crowdgame.rehearsal.context import RehearsalContext
from voting.protocol import AcceptedSideChange, EventState, SideChangeAsk, SideChanged, SideRefused, ToPhone

RESEND_AFTER_S = 1.0
# Share of the time until the window opens; the rest is for the reply.
CHANGE_WITHIN = 0.8

Write = Callable[[SideChangeAsk], bool]


class SideChanger:
    """The side changes of one phone, with secret sides only. `write` sends if the phone is connected."""

    def __init__(self, index: int, context: RehearsalContext, write: Write) -> None:
        self._index = index
        self._context = context
        self._write = write
        self._team = 0
        self._match = 0
        self._decided_turn = 0
        self._known: tuple[AcceptedSideChange, ...] = ()
        self._asked: SideChangeAsk | None = None
        self._timer: asyncio.TimerHandle | None = None

    def welcome(self, team: int, side_changes: tuple[AcceptedSideChange, ...], state: EventState) -> None:
        self._team = team
        self.apply_state(state)
        self.apply_changes(side_changes)
        self._resend()

    def apply_state(self, state: EventState) -> None:
        """Decide once a turn, from the second on, whether to change sides."""
        match = state.match
        turn = match.turn if match else None
        if match is None or match.id != self._match:
            self._match, self._known = (match.id if match else 0), ()
        if match is None or turn is None or turn.number == 1 or turn.id == self._decided_turn:
            return
        self._decided_turn, self._asked = turn.id, None
        left_s = (turn.opens_at - self._context.clock.now_ms()) / 1000
        wants = (
            len(self._known) < match.max_side_changes
            and self._context.rng.random() < self._context.side_change_share
        )
        if wants and left_s > 0 and not turn.paused:
            self._schedule(self._context.rng.uniform(0, left_s * CHANGE_WITHIN), lambda: self._ask(turn.id))

    def _ask(self, turn: int) -> None:
        team = 3 - (self._known[-1].team if self._known else self._team)
        blind = f"{self._context.rng.getrandbits(128):032x}"
        self._asked = SideChangeAsk(turn=turn, number=len(self._known) + 1, team=team, blind=blind)
        self._resend()

    def _resend(self) -> None:
        """Send the pending request again: the server may have stored it without the reply arriving."""
        if self._asked:
            self._write(self._asked)
            self._schedule(RESEND_AFTER_S, self._resend)

    def _schedule(self, seconds: float, callback: Callable[[], None]) -> None:
        self.leave()
        self._timer = asyncio.get_running_loop().call_later(seconds, callback)

    def receive(self, message: ToPhone) -> None:
        if isinstance(message, SideChanged):
            self.apply_changes(message.side_changes)
        elif isinstance(message, SideRefused):
            self.refused(message)

    def apply_changes(self, side_changes: tuple[AcceptedSideChange, ...]) -> None:
        if len(side_changes) < len(self._known):
            return
        self._known = side_changes
        if self._asked and len(side_changes) >= self._asked.number:
            self._asked = None
        if side_changes:
            self._context.ledger.side_changes[self._index] = tuple(
                (change.turn, change.team) for change in side_changes
            )

    def refused(self, refused: SideRefused) -> None:
        if self._asked and refused.code != "busy" and refused.number == self._asked.number:
            self._context.ledger.refused[f"side {refused.code}"] += 1
            self._asked = None

    def leave(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

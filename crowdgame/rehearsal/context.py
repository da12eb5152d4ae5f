"""The state that all phones of a rehearsal share: address, clock, moods, ledger."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.profile import Profile
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.verdict import Mood, draw_mood
from games.engine.game import Side
from voting.protocol import EventState, Match, Turn

MOODS_KEPT = 8
BATCH_SIZE = 50
QUIET_S = 0.1
MAX_DELAY_S = 1.5
FindKey = Callable[[int, EventState], str | None]


class Agenda:
    """A queue of callbacks that run in order, in batches on the event loop, once no more are being added.

    So the crowd's own computing delays neither its reading of a broadcast nor, on the same machine, the
    server's writing. A real phone computes by itself.
    """

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._seen = 0
        self._latest_at = 0.0

    def add(self, work: Callable[[], None]) -> None:
        """Queue `work`. It runs once nothing has been added for QUIET_S, at the latest after MAX_DELAY_S."""
        self._waiting.append(work)
        if len(self._waiting) == 1:
            loop = asyncio.get_running_loop()
            self._seen, self._latest_at = 1, loop.time() + MAX_DELAY_S
            loop.call_later(QUIET_S, self._work_if_quiet)

    def _work_if_quiet(self) -> None:
        loop = asyncio.get_running_loop()
        seen, self._seen = self._seen, len(self._waiting)
        if seen < self._seen and loop.time() < self._latest_at:
            loop.call_later(QUIET_S, self._work_if_quiet)
        else:
            self._work()

    def _work(self) -> None:
        """Run one batch. The loop reads new frames before the next one."""
        try:
            for _ in range(min(BATCH_SIZE, len(self._waiting))):
                self._waiting.popleft()()
        finally:
            if self._waiting:
                asyncio.get_running_loop().call_soon(self._work)


@dataclass
class RehearsalContext:
    """Shared state of a rehearsal. `team` is the team all phones ask for; None: any.

    `tokens` and `teams` are the seats, by phone index. `state` is the newest state that any phone has
    received.

    `find_key` returns a phone's admission key, or None. `side_change_share` is the probability that a voter
    changes sides before a turn, where that is allowed.

    `on_state` is called once for each new state. `answered` is set after the first welcome or error.
    `voting_over`: nobody votes any more, so that the ledger is complete when the crowd leaves.
    """

    code: str
    address: ServerAddress
    profile: Profile
    clock: ServerClock
    ledger: RehearsalLedger
    rng: Random
    team: int | None = None
    side_change_share: float = 0.0
    find_key: FindKey = lambda index, event: None
    tokens: dict[int, str] = field(default_factory=dict)
    teams: dict[int, int] = field(default_factory=dict)
    on_state: Callable[[EventState], None] = lambda state: None
    connected: int = 0
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    voting_over: bool = False
    seq: int = -1
    state: EventState | None = None
    agenda: Agenda = field(default_factory=Agenda)
    moods: dict[tuple[int, Side], Mood] = field(default_factory=dict)

    @property
    def turn(self) -> Turn | None:
        return self.state.match.turn if self.state and self.state.match else None

    def mood(self, match: Match, turn: Turn, side: Side) -> Mood:
        """Return the mood of a team in this turn. All its voters share it: real crowds tend to agree."""
        key = (turn.id, side)
        if key not in self.moods:
            self.moods[key] = draw_mood(match.board, turn, side, self.rng)
            if len(self.moods) > MOODS_KEPT:
                del self.moods[next(iter(self.moods))]
        return self.moods[key]

    def receive(self, seq: int, state: EventState, *, went_back: bool = False) -> None:
        """Apply a state that a phone received. Only the first phone's copy counts.

        `went_back`: the server was restored from a backup and continues with lower sequence numbers.
        """
        if seq <= self.seq and not went_back:
            return
        known = {self.turn.id, *self.ledger.turns} if self.turn else self.ledger.turns
        self.seq, self.state = seq, state
        match = state.match
        if match and match.reveal and match.reveal.turn in known:
            self.ledger.reveal(match, match.reveal)
        self.on_state(state)

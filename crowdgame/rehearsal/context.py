"""What all phones of a rehearsal share: where they call, the time, the moods, the book."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.agenda import Agenda
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.profile import Profile
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.verdict import Mood, draw_mood
from games.engine.game import Side
from voting.protocol import EventState, Match, Turn

MOODS_KEPT = 8
FindKey = Callable[[int, EventState], str | None]


@dataclass
class RehearsalContext:
    """`team`: where all wish to sit. `tokens` and `teams`: the seats by phone. `state` is the newest heard.

    `find_key` gives a phone what it shows where the event asks for a key, if there is anything.
    `side_change_share` is the share of those who may that changes sides before a turn.

    `on_state` hears of each new state once. `answered`: a server has let somebody in, or said why not.
    `voting_over`: nobody votes any more, so that the book is complete when the crowd leaves.
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
        """One mood a team and turn, so that a crowd is of one mind, more or less."""
        key = (turn.id, side)
        if key not in self.moods:
            self.moods[key] = draw_mood(match.board, turn, side, self.rng)
            if len(self.moods) > MOODS_KEPT:
                del self.moods[next(iter(self.moods))]
        return self.moods[key]

    def receive(self, seq: int, state: EventState, *, went_back: bool = False) -> None:
        """A phone was told this; the first to hear of it has it written into the book.

        `went_back`: a server that was restored from a copy goes on with lower numbers.
        """
        if seq <= self.seq and not went_back:
            return
        known = {self.turn.id, *self.ledger.turns} if self.turn else self.ledger.turns
        self.seq, self.state = seq, state
        match = state.match
        if match and match.reveal and match.reveal.turn in known:
            self.ledger.reveal(match, match.reveal)
        self.on_state(state)

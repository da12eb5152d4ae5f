"""What all phones of a rehearsal share: where they call, the time, the moods, the book."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from games.engine.game import Side
from voting.protocol import EventState, Match, Turn
from voting.rehearsal.judgement import Mood, mood_of
from voting.rehearsal.ledger import Ledger
from voting.rehearsal.profile import Profile
from voting.rehearsal.server_clock import ServerClock

MOODS_KEPT = 8


@dataclass
class Hall:
    """`team`: where all wish to sit. `tokens`: the seats by phone. `on_reveal` hears of each turn once.

    `played_out`: nobody votes any more, so that the book is complete when the crowd leaves.
    """

    code: str
    address: str
    profile: Profile
    clock: ServerClock
    ledger: Ledger
    rng: Random
    team: int | None = None
    tokens: dict[int, str] = field(default_factory=dict)
    on_reveal: Callable[[EventState], None] = lambda state: None
    connected: int = 0
    played_out: bool = False
    moods: dict[tuple[int, Side], Mood] = field(default_factory=dict)

    def mood(self, match: Match, turn: Turn, side: Side) -> Mood:
        """One mood a team and turn, so that a crowd is of one mind, more or less."""
        key = (turn.id, side)
        if key not in self.moods:
            self.moods[key] = mood_of(match.board, turn, side, self.rng)
            if len(self.moods) > MOODS_KEPT:
                del self.moods[next(iter(self.moods))]
        return self.moods[key]

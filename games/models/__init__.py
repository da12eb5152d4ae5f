"""Models of events, teams, matches and turns. Database constraints rule out invalid states.

Times (`_at`) are whole milliseconds since 1970 by the ballot box's clock. The board is not stored: it is the
replay of the picks of the resolved turns.
"""

from games.engine.terms import (
    Admission,
    Ending,
    Lobby,
    MatchState,
    NoBallotRule,
    ResignShare,
    TeamChoice,
    TieRule,
)
from games.models.event import MAX_BEST_OF, NOTICE_LENGTH, Event, Team
from games.models.match import (
    CLOSED_STATES,
    LIVE_STATES,
    Match,
    MatchResult,
    Turn,
    TurnState,
)
from games.models.terms import (
    MAX_BANK_S,
    MAX_INCREMENT_S,
    MAX_REVEAL_S,
    MAX_SIDE_CHANGES,
    MAX_TALK_S,
    MAX_WINDOW_S,
    MIN_WINDOW_S,
    MatchTerms,
)

__all__ = [
    "CLOSED_STATES",
    "LIVE_STATES",
    "MAX_BANK_S",
    "MAX_BEST_OF",
    "MAX_INCREMENT_S",
    "MAX_REVEAL_S",
    "MAX_SIDE_CHANGES",
    "MAX_TALK_S",
    "MAX_WINDOW_S",
    "MIN_WINDOW_S",
    "NOTICE_LENGTH",
    "Admission",
    "Ending",
    "Event",
    "Lobby",
    "Match",
    "MatchResult",
    "MatchState",
    "MatchTerms",
    "NoBallotRule",
    "ResignShare",
    "Team",
    "TeamChoice",
    "TieRule",
    "Turn",
    "TurnState",
]

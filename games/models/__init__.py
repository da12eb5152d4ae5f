"""Event, team, match, turn: constraints make wrong states impossible.

Times (`_at`) are whole milliseconds since 1970 by the ballot box's clock. The board is not stored:
it is the replay of the picks of the resolved turns.
"""

from games.models.chat import (
    LINE_LENGTH,
    SLOW_S,
    ChatLine,
    ChatMute,
    ChatReport,
    ChatRoom,
    ChatSilence,
    RoomKind,
)
from games.models.cup import (
    MAX_CUP_TEAMS,
    Cup,
    CupFormat,
    CupPairing,
    CupTeam,
)
from games.models.event import (
    MAX_BEST_OF,
    NOTICE_LENGTH,
    Admission,
    Event,
    Lobby,
    Member,
    Role,
    Team,
    TeamChoice,
)
from games.models.hall import Duel, Guest
from games.models.match import (
    LIVE_STATES,
    EndedBy,
    Match,
    MatchResult,
    MatchState,
    Turn,
    TurnState,
)
from games.models.terms import (
    MAX_DEFECTIONS,
    MAX_REVEAL_S,
    MAX_TALK_S,
    MAX_WINDOW_S,
    MIN_WINDOW_S,
    MatchTerms,
    NoBallotRule,
    ResignShare,
    TallyMethod,
    TieRule,
)

__all__ = [
    "LINE_LENGTH",
    "LIVE_STATES",
    "MAX_BEST_OF",
    "MAX_CUP_TEAMS",
    "MAX_DEFECTIONS",
    "MAX_REVEAL_S",
    "MAX_TALK_S",
    "MAX_WINDOW_S",
    "MIN_WINDOW_S",
    "NOTICE_LENGTH",
    "SLOW_S",
    "Admission",
    "ChatLine",
    "ChatMute",
    "ChatReport",
    "ChatRoom",
    "ChatSilence",
    "Cup",
    "CupFormat",
    "CupPairing",
    "CupTeam",
    "Duel",
    "EndedBy",
    "Event",
    "Guest",
    "Lobby",
    "Match",
    "MatchResult",
    "MatchState",
    "MatchTerms",
    "Member",
    "NoBallotRule",
    "ResignShare",
    "Role",
    "RoomKind",
    "TallyMethod",
    "Team",
    "TeamChoice",
    "TieRule",
    "Turn",
    "TurnState",
]

"""Changes of an event, broadcast to all its clients with the state after the change."""

import msgspec

from voting.counting.types import Count
from voting.protocol.fields import Time
from voting.protocol.state import EventState


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change of the event. Every change carries the complete state after it.

    Attributes:
        seq: Grows by one with each change of the event.
        at: When the change happened.
        state: The complete public state after the change.
    """

    seq: Count
    at: Time
    state: EventState


class LobbyOpened(Change, frozen=True, tag="lobby.opened"):
    """The lobby is open: people may join."""


class JoiningLocked(Change, frozen=True, tag="joining.locked"):
    """Joining is locked. Voters who have a seat keep it."""


class JoiningUnlocked(Change, frozen=True, tag="joining.unlocked"):
    """Joining is unlocked again."""


class EventEdited(Change, frozen=True, tag="event.edited"):
    """The event's name, a setting, the notice or the hidden parts changed."""


class MatchStarted(Change, frozen=True, tag="match.started"):
    """A match started. Its first turn opens at `turn.opens_at`."""


class MatchAborted(Change, frozen=True, tag="match.aborted"):
    """The match ended without a result."""


class MatchStopped(Change, frozen=True, tag="match.stopped"):
    """The players of a duel ended the match: one resigned, or both agreed to a draw."""


class TurnRevealed(Change, frozen=True, tag="turn.revealed"):
    """A turn was resolved. `match.reveal` holds both tallies and the resolution, `match.turn` the next turn,
    or null at the end of the match.
    """


class TurnConcealed(Change, frozen=True, tag="turn.concealed"):
    """A turn was sealed and counted, and stays secret until the next turn is revealed. `match.concealed`
    holds what is public. The other side is to move.
    """


class TurnPaused(Change, frozen=True, tag="turn.paused"):
    """The turn is paused with `turn.left_ms` remaining."""


class TurnResumed(Change, frozen=True, tag="turn.resumed"):
    """The turn continues with new times."""


class TurnMoved(Change, frozen=True, tag="turn.moved"):
    """The deadline moved, in either direction."""


class TurnVoided(Change, frozen=True, tag="turn.voided"):
    """The turn closed last is void and will be voted again. If two turns were revealed together, both are
    void.
    """


class TurnAnalyzed(Change, frozen=True, tag="turn.analyzed"):
    """The turn resolved last is analyzed: see `match.analysis`."""


class TurnRestored(Change, frozen=True, tag="turn.restored"):
    """The ballot box lost the ballots of the open turn. Its `epoch` grew: send your ballot again."""


Changes = (
    LobbyOpened
    | JoiningLocked
    | JoiningUnlocked
    | EventEdited
    | MatchStarted
    | MatchAborted
    | MatchStopped
    | TurnRevealed
    | TurnConcealed
    | TurnPaused
    | TurnResumed
    | TurnMoved
    | TurnVoided
    | TurnAnalyzed
    | TurnRestored
)
decode_change = msgspec.json.Decoder(Changes).decode

"""What is announced of an event to everybody: `noun.past`, with the state after it."""

import msgspec

from voting.counting.types import Count
from voting.protocol.fields import Time
from voting.protocol.state import EventState


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Something happened. `seq` grows by one a change; `state` is the whole state after it."""

    seq: Count
    at: Time
    state: EventState


class LobbyOpened(Change, frozen=True, tag="lobby.opened"):
    pass


class JoiningLocked(Change, frozen=True, tag="joining.locked"):
    pass


class JoiningUnlocked(Change, frozen=True, tag="joining.unlocked"):
    pass


class EventEdited(Change, frozen=True, tag="event.edited"):
    """A name or a setting changed."""


class MatchStarted(Change, frozen=True, tag="match.started"):
    pass


class MatchAborted(Change, frozen=True, tag="match.aborted"):
    pass


class TurnRevealed(Change, frozen=True, tag="turn.revealed"):
    """Both tallies and the resolution, in `state.match.reveal`; the next turn or the end, too."""


class TurnConcealed(Change, frozen=True, tag="turn.concealed"):
    """The votes are sealed and counted, and stay secret until the other side's are, too.

    What can be told of them is in `state.match.concealed`.
    """


class TurnPaused(Change, frozen=True, tag="turn.paused"):
    pass


class TurnResumed(Change, frozen=True, tag="turn.resumed"):
    pass


class TurnMoved(Change, frozen=True, tag="turn.moved"):
    """The deadline was moved: extended, or closed early."""


class TurnVoided(Change, frozen=True, tag="turn.voided"):
    """The last turn does not count; it is voted again."""


class TurnRestored(Change, frozen=True, tag="turn.restored"):
    """The ballot box lost the turn and holds it again: a new epoch, and more time."""


Changes = (
    LobbyOpened
    | JoiningLocked
    | JoiningUnlocked
    | EventEdited
    | MatchStarted
    | MatchAborted
    | TurnRevealed
    | TurnConcealed
    | TurnPaused
    | TurnResumed
    | TurnMoved
    | TurnVoided
    | TurnRestored
)
decode_change = msgspec.json.Decoder(Changes).decode

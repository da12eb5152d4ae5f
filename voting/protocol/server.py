"""What the server says apart from changes and welcomes, to one or to all: `noun.past`."""

from typing import Literal

import msgspec

from games.engine.game import Side
from voting.counting.commitments import Commitment
from voting.counting.types import Count, Hash
from voting.protocol.changes import Changes
from voting.protocol.fields import Choice, Id, Key, Sequence, TeamNumber, Time
from voting.protocol.snapshot import (
    AcceptedSideChange,
    AuditEntry,
    ConsoleWelcomed,
    DisplayWelcomed,
    PhoneWelcomed,
)
from voting.protocol.state import EventState


class TurnoutCounted(msgspec.Struct, frozen=True, kw_only=True, tag="turnout.counted"):
    """Voters connected and ballots in the present turn, a number a team; never a column.

    In a match by clocks `picked_at` is since when each team has its ballot, 0 as long as it has none.
    `watching` are those who only look on: projectors, and phones without a seat.
    """

    turn: Id | None
    connected: tuple[Count, Count]
    voted: tuple[Count, Count]
    picked_at: tuple[Time, Time] | None = None
    watching: Count = 0


class BallotCounted(msgspec.Struct, frozen=True, kw_only=True, tag="ballot.counted"):
    """The ballot box holds this ballot."""

    turn: Id
    choice: Choice
    sequence: Count


class TurnSealed(msgspec.Struct, frozen=True, kw_only=True, tag="turn.sealed"):
    """No ballot is taken any more; the reveal will open these commitments. None for a side not to move.

    Of a match with secret sides one number is told instead, `turn_commitment`: its record opens it at the
    end. It may be lost on its way, and it may come again; a window that opens anew makes it void.
    """

    turn: Id
    at: Time
    red: Commitment | None
    yellow: Commitment | None
    turn_commitment: Hash | None = None


class SideChanged(msgspec.Struct, frozen=True, kw_only=True, tag="side.changed"):
    """To all sockets of a voter: these changes are written down, whatever dies."""

    side_changes: tuple[AcceptedSideChange, ...]


SideRefusal = Literal["not_offered", "no_such_turn", "window_open", "used_up", "same_side", "busy"]


class SideRefused(msgspec.Struct, frozen=True, kw_only=True, tag="side.refused"):
    """Nothing changed. `busy`: nobody knows yet; the same question again does no harm."""

    number: Sequence
    code: SideRefusal


class ReceiptIssued(msgspec.Struct, frozen=True, kw_only=True, tag="receipt.issued"):
    """The way from the voter's ballot, number `index` (from 0) of `ballots`, to its side's root.

    `path` are the hashes beside it, lowest first (RFC 6962). `index` is None if no ballot of this voter is
    in the list, and `side` if the turn is not one to be asked for (any more). `choice` and `blind` are those
    of the counted ballot: another device of the same voter may have cast it.
    """

    turn: Id
    side: Side | None
    index: Count | None = None
    ballots: Count = 0
    path: tuple[str, ...] = ()
    choice: Choice | None = None
    blind: str | None = None


class KeyShown(msgspec.Struct, frozen=True, kw_only=True, tag="key.shown"):
    """To a projector the organizer trusts: the code of the moment, shown until `until_at`.

    `join_url` and `qr` are as in `display.snapshot`, with the code in them.
    """

    key: Key
    until_at: Time
    join_url: str
    qr: tuple[str, ...]


class CheersCounted(msgspec.Struct, frozen=True, kw_only=True, tag="cheers.counted"):
    """To projectors, about once a second: presses of the warm-up since the last time, a number a team."""

    presses: tuple[Count, Count]


class TeamCounted(msgspec.Struct, frozen=True, kw_only=True, tag="team.counted"):
    """To the phones of a team, if the event has `own_counts`: its votes so far, `counts[0]` is column 1.

    In an open vote it is told to everybody, also to screens: the votes of the team that is to move.
    """

    turn: Id
    counts: tuple[Count, ...]


class CountsUpdated(msgspec.Struct, frozen=True, kw_only=True, tag="counts.updated"):
    """To the control rooms of an event with `peek`: the votes so far, `red[0]` is column 1."""

    turn: Id
    red: tuple[Count, ...]
    yellow: tuple[Count, ...]


Refusal = Literal["early", "late", "unknown", "stale", "no_such_turn", "not_to_move", "illegal", "busy"]


class BallotRefused(msgspec.Struct, frozen=True, kw_only=True, tag="ballot.refused"):
    """The ballot did not count. `last` is the voter's highest sequence where `code` is "stale"."""

    turn: Id
    sequence: Count
    code: Refusal
    last: Count = 0


class ClockSynced(msgspec.Struct, frozen=True, kw_only=True, tag="clock.synced"):
    sent: float
    now_at: Time


class AuditLogged(msgspec.Struct, frozen=True, kw_only=True, tag="audit.logged"):
    """To all control rooms of the event, whoever did it."""

    entry: AuditEntry


class ActionDone(msgspec.Struct, frozen=True, kw_only=True, tag="action.done"):
    id: Id


class ActionRefused(msgspec.Struct, frozen=True, kw_only=True, tag="action.refused"):
    """`text` is fit to be shown."""

    id: Id
    text: str


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody on the class list, or whoever an organizer ruled about: then perhaps without a name.

    `team` is the list's; `moved` where an organizer put them since; `banned`: they are kept out.
    """

    voter_code: str
    name: str
    team: TeamNumber | None
    moved: TeamNumber | None
    banned: bool


class PeopleFound(msgspec.Struct, frozen=True, kw_only=True, tag="people.found"):
    """Answer to `people.ask`: of the `total` that are found some, from `skip` on."""

    query: str
    skip: Count
    total: Count
    people: tuple[Person, ...]


class RehearsalUpdated(msgspec.Struct, frozen=True, kw_only=True, tag="rehearsal.updated"):
    """How a rehearsal's simulated crowd fares; times are None until there are some."""

    phones: Count
    connected: Count
    sent: Count
    acknowledged: Count
    lost: Count
    ack_p99_ms: Count | None
    reveal_p99_ms: Count | None
    running: bool


class RetryAfter(msgspec.Struct, frozen=True, kw_only=True, tag="retry.after"):
    """The socket is closed now: come back at a random moment within so many milliseconds."""

    within_ms: Count


ErrorCode = Literal[
    "malformed",
    "not_joined",
    "joined_already",
    "team_needed",
    "joining_locked",
    "lobby_closed",
    "key_needed",
    "key_wrong",
    "key_used",
    "hands_only",
]


class Error(msgspec.Struct, frozen=True, kw_only=True, tag="error"):
    """What the client sent changed nothing. `text` is for its maker.

    `event` is told to a phone without a seat: what it waits for, and which teams it may choose.
    """

    code: ErrorCode
    text: str
    event: EventState | None = None


Always = Changes | TurnSealed | TurnoutCounted | ClockSynced | RetryAfter | Error
ToPhone = (
    Always
    | TeamCounted
    | PhoneWelcomed
    | BallotCounted
    | BallotRefused
    | ReceiptIssued
    | SideChanged
    | SideRefused
)
ToDisplay = Always | TeamCounted | DisplayWelcomed | KeyShown | CheersCounted
ToConsole = (
    Always
    | TeamCounted
    | AuditLogged
    | ConsoleWelcomed
    | ActionDone
    | ActionRefused
    | RehearsalUpdated
    | CountsUpdated
    | PeopleFound
)

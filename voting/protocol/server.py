"""Messages from the server to more than one kind of client or to displays, and the unions of all of them."""

from typing import Literal

import msgspec

from games.engine.game import Side
from voting.counting.commitments import Commitment
from voting.counting.types import Column, Count, Hash
from voting.protocol.changes import Changes
from voting.protocol.console_messages import (
    ActionDone,
    ActionRefused,
    AuditUpdated,
    PeopleFound,
    RehearsalUpdated,
)
from voting.protocol.fields import Epoch, Id, Key, Time
from voting.protocol.phone_answers import (
    BallotChanged,
    BallotCounted,
    BallotRefused,
    DropAnswered,
    DuelRefused,
    NicknameAnswered,
    ReceiptIssued,
    SideChanged,
    SideRefused,
)
from voting.protocol.snapshot import (
    ConsoleWelcomed,
    DisplayWelcomed,
    PhoneWelcomed,
)
from voting.protocol.state import EventState


class BoxFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Further figures of the ballot box, over all gateways. `heartbeat.lua` returns them under these names.

    Attributes:
        reconnecting: Voters who have lost their connection within the last ten seconds.
        changed: Times that voters of both teams have changed their vote in this turn.
    """

    reconnecting: Count = 0
    changed: Count = 0


NO_FIGURES = BoxFigures()


class TurnoutCounted(msgspec.Struct, frozen=True, kw_only=True, tag="turnout.counted"):
    """Voters connected and ballots cast, per team. It never mentions a choice.

    Sent when it changes: to screens at most once a second. Phones receive it every five seconds, but only
    before the first match and in matches with clocks. It has no `seq`; the latest one holds.

    Attributes:
        turn: The current turn.
        connected: Connected voters of team 1 and team 2.
        voted: Ballots of team 1 and team 2 in the current turn.
        picked_at: In a match with clocks: when each team had its ballots, 0 while it doesn't.
        watching: Displays and phones without a seat. Only sent in duels, 0 elsewhere.
        votes_per_s: Voters of both teams who first voted in the last second. Only sent to screens.
        figures: Further figures. Only sent to screens, and not in duels.
    """

    turn: Id | None
    connected: tuple[Count, Count]
    voted: tuple[Count, Count]
    picked_at: tuple[Time, Time] | None = None
    watching: Count = 0
    votes_per_s: Count = 0
    figures: BoxFigures = NO_FIGURES


class TurnSealed(msgspec.Struct, frozen=True, kw_only=True, tag="turn.sealed"):
    """Ballots are frozen. Sent before anything is counted, and always before the reveal.

    Displays and consoles get it right after the deadline, phones together with the reveal or after 250 ms.
    Sockets that join after the seal get it after their welcome. It has no `seq`, and may get lost. The seal
    is void if its window is reopened (`turn.moved`) or its votes are lost (`turn.restored`). Otherwise `at`
    equals `sealed_at` of the reveal.

    Attributes:
        turn: The sealed turn.
        at: When the ballots were frozen.
        epoch: Epoch of the ballot box that was sealed.
        red: Commitment to red's ballots. Null if red is not to move, or sides are secret.
        yellow: Commitment to yellow's ballots.
        turn_commitment: The single commitment of a turn with secret sides.
    """

    turn: Id
    at: Time
    epoch: Epoch = 1
    red: Commitment | None
    yellow: Commitment | None
    turn_commitment: Hash | None = None


class DropShown(msgspec.Struct, frozen=True, kw_only=True, tag="drop.shown"):
    """A voter wants to see where their ballot lies. Sent to displays during a reveal.

    Attributes:
        turn: The revealed turn.
        side: The side of the ballot.
        column: The column whose pile includes the ballot.
        rank: How many ballots in the side's sealed list are before it and in the same pile.
        symbol: Number of the voter's symbol, from 0.
    """

    turn: Id
    side: Side
    column: Column
    rank: Count
    symbol: Count


class KeyShown(msgspec.Struct, frozen=True, kw_only=True, tag="key.shown"):
    """The rotating code. Sent to displays that joined with the display key, where `admission` is `rotating`.

    Attributes:
        key: The current code.
        until_at: When the next code replaces it.
        join_url: The address to join. The fragment is a longer form of the code.
        qr: QR code of `join_url`, see `display.welcomed`.
        team_qrs: QR codes of the teams' links with this fragment, see `display.welcomed`.
    """

    key: Key
    until_at: Time
    join_url: str
    qr: tuple[str, ...]
    team_qrs: tuple[tuple[str, ...], tuple[str, ...]]


class CheersCounted(msgspec.Struct, frozen=True, kw_only=True, tag="cheers.counted"):
    """Taps of the warm-up over all gateways. Sent to displays about once a second, without a `seq`.

    Attributes:
        presses: New taps of team 1 and team 2.
    """

    presses: tuple[Count, Count]


class TeamCounted(msgspec.Struct, frozen=True, kw_only=True, tag="team.counted"):
    """A team's own votes so far.

    With `own_counts` it goes to the phones of that team about every two seconds. Where `board.vote` is `open`
    it goes to every seated phone and, once a second, to screens. Where it is `concealed` it is not sent.

    Attributes:
        turn: The current turn.
        counts: Votes per choice, choice 1 first.
    """

    turn: Id
    counts: tuple[Count, ...]


class CountsUpdated(msgspec.Struct, frozen=True, kw_only=True, tag="counts.updated"):
    """Votes so far. Sent to the consoles of an event with `peek`, once a second while a window is open.

    Attributes:
        turn: The current turn.
        red: Red's votes per choice, choice 1 first.
        yellow: Yellow's votes per choice.
    """

    turn: Id
    red: tuple[Count, ...]
    yellow: tuple[Count, ...]


class ClockSynced(msgspec.Struct, frozen=True, kw_only=True, tag="clock.synced"):
    """Answer to `clock.ask`. The offset is `now_at - (sent + received) / 2`; take it from the fastest answer.

    Attributes:
        sent: As sent.
        now_at: The server's time.
    """

    sent: float
    now_at: Time


class RetryAfter(msgspec.Struct, frozen=True, kw_only=True, tag="retry.after"):
    """Last message before a close with 4006 or 4007.

    Attributes:
        within_ms: Reconnect at a random moment within this time, instead of the usual delay.
    """

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
"""Errors in a client's message.

Values:
    malformed: Not JSON, an unknown type, or a field that is missing or out of bounds.
    not_joined: Join first.
    joined_already: One join per socket.
    team_needed: Join again with a `team`.
    joining_locked: Joining is locked.
    lobby_closed: The lobby isn't open yet.
    key_needed: Join again with a `key`.
    key_wrong: The `key` is not valid.
    key_used: Another device joined with this ticket.
    hands_only: Both teams vote without phones. No phone can join.
"""


class Error(msgspec.Struct, frozen=True, kw_only=True, tag="error"):
    """The client's message changed nothing.

    Attributes:
        code: The error.
        text: For the developer of the client.
        event: To a phone without a seat: the state, so that it can show what it waits for.
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
    | BallotChanged
    | BallotRefused
    | ReceiptIssued
    | DropAnswered
    | SideChanged
    | SideRefused
    | DuelRefused
    | NicknameAnswered
)


ToDisplay = Always | TeamCounted | DisplayWelcomed | KeyShown | CheersCounted | DropShown


ToConsole = (
    Always
    | TeamCounted
    | AuditUpdated
    | ConsoleWelcomed
    | ActionDone
    | ActionRefused
    | RehearsalUpdated
    | CountsUpdated
    | PeopleFound
)

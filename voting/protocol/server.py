"""Messages from the server, except changes and snapshots."""

from typing import Literal

import msgspec

from games.engine.game import Side
from voting.counting.commitments import Commitment
from voting.counting.types import Column, Count, Hash
from voting.protocol.changes import Changes
from voting.protocol.client import DuelAction
from voting.protocol.fields import Choice, Id, Key, Sequence, TeamNumber, Time
from voting.protocol.snapshot import (
    AcceptedSideChange,
    AuditEntry,
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


class BallotCounted(msgspec.Struct, frozen=True, kw_only=True, tag="ballot.counted"):
    """The ballot is recorded. No other message means that.

    Attributes:
        turn: As sent.
        choice: As sent.
        sequence: As sent.
        now_at: The server's time, like that of `clock.synced`. 0 from earlier versions.
    """

    turn: Id
    choice: Choice
    sequence: Count
    now_at: Time = 0


class TurnSealed(msgspec.Struct, frozen=True, kw_only=True, tag="turn.sealed"):
    """Ballots are frozen. Sent before anything is counted, and always before the reveal.

    Displays and consoles get it right after the deadline, phones together with the reveal or after 250 ms.
    Sockets that join after the seal get it after their welcome. It has no `seq`, and may get lost. The seal
    is valid only if `at` equals `sealed_at` of the reveal: an organizer may have reopened the window after
    an earlier seal.

    Attributes:
        turn: The sealed turn.
        at: When the ballots were frozen.
        red: Commitment to red's ballots. Null if red is not to move, or sides are secret.
        yellow: Commitment to yellow's ballots.
        turn_commitment: The single commitment of a turn with secret sides.
    """

    turn: Id
    at: Time
    red: Commitment | None
    yellow: Commitment | None
    turn_commitment: Hash | None = None


class SideChanged(msgspec.Struct, frozen=True, kw_only=True, tag="side.changed"):
    """The voter's side changes are recorded. Sent to all sockets of the voter.

    Attributes:
        side_changes: All changes of this voter in this match, oldest first.
    """

    side_changes: tuple[AcceptedSideChange, ...]


SideRefusal = Literal["not_offered", "no_such_turn", "window_open", "used_up", "same_side", "busy"]
"""Reasons for refusing a side change.

Values:
    not_offered: No match with secret sides is being played.
    no_such_turn: Another turn is current.
    window_open: Sides change only between two turns, and not before the first one.
    used_up: No change is left, or this `number` was used for another change.
    same_side: The voter is on that side already.
    busy: It is unknown whether the change was recorded. Send it again.
"""


class SideRefused(msgspec.Struct, frozen=True, kw_only=True, tag="side.refused"):
    """The side change was refused. Nothing changed.

    Attributes:
        number: As sent.
        code: The reason.
    """

    number: Sequence
    code: SideRefusal


DuelRefusal = Literal["not_possible", "turn_changed", "too_soon", "busy"]
"""Reasons for refusing `duel.ask`.

Values:
    not_possible: Only a player of a live duel can do this, and only where the duel allows it.
    turn_changed: Another turn is current.
    too_soon: This player has offered the same in this turn or in one of the four before.
    busy: The server can't do it now. Try again.
"""


class DuelRefused(msgspec.Struct, frozen=True, kw_only=True, tag="duel.refused"):
    """What the player asked for was refused. Nothing changed.

    Attributes:
        action: As sent.
        code: The reason.
    """

    action: DuelAction
    code: DuelRefusal


class ReceiptIssued(msgspec.Struct, frozen=True, kw_only=True, tag="receipt.issued"):
    """The Merkle path from the voter's ballot to the root of its side, see
    [Receipts](../protocol.md#receipts).

    Attributes:
        turn: As sent.
        side: The side the voter voted for. Null: the server can't answer now, or sides are secret.
        index: Position of the ballot in the side's list, from 0. Null: the list has no ballot of this voter.
        ballots: Length of the list.
        path: Sibling hashes from the leaf to the root.
        choice: The voter's counted ballot.
        blind: Its blind. If it isn't the phone's own, another device of the same voter voted last.
    """

    turn: Id
    side: Side | None
    index: Count | None = None
    ballots: Count = 0
    path: tuple[str, ...] = ()
    choice: Choice | None = None
    blind: str | None = None


DropAnswer = Literal["waiting", "shown", "full", "unavailable"]
"""Answers to `drop.show`.

Values:
    waiting: Displays will show it in the reveal. A second answer follows then.
    shown: Displays show it now.
    full: The displays mark as many as they can. Ask again in the next turn.
    unavailable: The ballot is not known, the piles are not shown, or an organizer has turned this off.
"""


class DropAnswered(msgspec.Struct, frozen=True, kw_only=True, tag="drop.answered"):
    """The answer to `drop.show`, to the phone that sent it.

    Attributes:
        turn: As sent.
        answer: Whether displays show the drop.
        symbol: Number of the symbol that marks the voter's drop, from 0. The same in all turns.
        index: Position of the ballot in the side's sealed list, from 0. Null: not `shown`.
    """

    turn: Id
    answer: DropAnswer
    symbol: Count = 0
    index: Count | None = None


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


Refusal = Literal["early", "late", "unknown", "stale", "no_such_turn", "not_to_move", "illegal", "busy"]
"""Reasons for refusing a ballot.

Values:
    early: The window isn't open yet. Send the ballot again at `opens_at`.
    late: The window is over, or paused.
    unknown: The ballot box doesn't hold this turn. Keep the ballot and send it again when `epoch` grows.
    stale: Another device of this voter cast a ballot with a higher sequence. Continue with `last + 1`.
    no_such_turn: Another turn is current. Use the latest state.
    not_to_move: The voter's team doesn't vote in this turn, or not by phone.
    illegal: The choice doesn't exist, isn't legal, or isn't encoded as required.
    busy: Too many ballots are waiting. Send it again in a second.
"""


class BallotRefused(msgspec.Struct, frozen=True, kw_only=True, tag="ballot.refused"):
    """The ballot does not count.

    Attributes:
        turn: As sent.
        sequence: As sent.
        code: The reason.
        last: With `stale`: the voter's highest sequence.
    """

    turn: Id
    sequence: Count
    code: Refusal
    last: Count = 0


class ClockSynced(msgspec.Struct, frozen=True, kw_only=True, tag="clock.synced"):
    """Answer to `clock.ask`. The offset is `now_at - (sent + received) / 2`; take it from the fastest answer.

    Attributes:
        sent: As sent.
        now_at: The server's time.
    """

    sent: float
    now_at: Time


class AuditUpdated(msgspec.Struct, frozen=True, kw_only=True, tag="audit.updated"):
    """Audit log entries that are new, or that replace those with the same `id`.

    Sent to every console of the event within about a second, without a `seq`.

    Attributes:
        entries: The entries, newest first.
    """

    entries: tuple[AuditEntry, ...]


class ActionDone(msgspec.Struct, frozen=True, kw_only=True, tag="action.done"):
    """The action was performed.

    Attributes:
        id: As sent.
    """

    id: Id


class ActionRefused(msgspec.Struct, frozen=True, kw_only=True, tag="action.refused"):
    """The action was refused. Nothing changed.

    Attributes:
        id: As sent.
        text: The reason, as text to show.
    """

    id: Id
    text: str


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Someone on the class list, a restricted voter, or a voter who has joined.

    Attributes:
        voter_code: The six letters the phone shows.
        name: Name on the class list, or empty.
        team: Team on the class list, or of the seat.
        moved: The team an organizer moved this person to.
        banned: Whether the person is banned.
        removed: Whether an organizer removed this person, who has not rejoined.
        connected: Whether a phone with this code is connected.
        voted: Whether there is a ballot of this person in the open turn. Null if the team has no vote now.
    """

    voter_code: str
    name: str
    team: TeamNumber | None
    moved: TeamNumber | None
    banned: bool
    removed: bool
    connected: bool
    voted: bool | None


class PeopleFound(msgspec.Struct, frozen=True, kw_only=True, tag="people.found"):
    """Answer to `people.ask`.

    Attributes:
        id: As sent.
        people: About 50 results: restricted voters first, then by name, then connected phones in no order. It
            may be fewer, as one page searches a limited number of phones.
        more: `after` for the next page. Empty: there are no more.
    """

    id: Count
    people: tuple[Person, ...]
    more: str


class RehearsalUpdated(msgspec.Struct, frozen=True, kw_only=True, tag="rehearsal.updated"):
    """Progress of the simulated crowd. Sent to consoles about once a second, and once at the end.

    The rehearsal ends with its match, after half an hour, or a minute after the last console closes.

    Attributes:
        phones: Size of the crowd.
        connected: Phones that have joined.
        sent: Ballots cast.
        acknowledged: Ballots counted.
        lost: Ballots without an answer, or missing from the tally.
        ack_p99_ms: 99th percentile from ballot to answer, in milliseconds.
        reveal_p99_ms: 99th percentile from deadline to reveal, in milliseconds.
        running: Whether the rehearsal continues.
    """

    phones: Count
    connected: Count
    sent: Count
    acknowledged: Count
    lost: Count
    ack_p99_ms: Count | None
    reveal_p99_ms: Count | None
    running: bool


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
    hands_only: Both teams vote by show of hands. No phone can join.
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
    | BallotRefused
    | ReceiptIssued
    | DropAnswered
    | SideChanged
    | SideRefused
    | DuelRefused
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

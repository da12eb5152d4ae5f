"""Every message on the wire, as `docs/protocol.md` describes them.

Client messages are `noun.verb`, server messages `noun.past`. Times (`_at`) are whole
milliseconds since 1970 by the ballot box's clock. Columns, turns, matches and teams count from 1.
`frontend/src/protocol.ts` is generated from this module.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from games.engine.game import Board, Resolution, Result, Side

MAX_FRAME_BYTES = 2048
MAX_RETRY_MS = 30_000
MAX_COLUMN = 255

Id = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Column = Annotated[int, Meta(ge=1, le=MAX_COLUMN)]
Sequence = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Epoch = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Time = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
TeamNumber = Annotated[int, Meta(ge=1, le=2)]
Code = Annotated[str, Meta(min_length=1, max_length=16)]
Token = Annotated[str, Meta(min_length=1, max_length=256)]
Key = Annotated[str, Meta(min_length=1, max_length=64)]
Blind = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
Action = Literal[
    "lobby.open",
    "joining.lock",
    "joining.unlock",
    "match.start",
    "match.abort",
    "turn.pause",
    "turn.resume",
    "turn.extend",
    "turn.close",
    "turn.void",
    "rehearsal.start",
    "rehearsal.stop",
]
MAX_CONSOLE_PHONES = 200


# ------------------------------------------------------------------ what a client says
class PhoneJoin(msgspec.Struct, frozen=True, tag="phone.join"):
    """First message of a phone. `token` is the one it was given before, `team` its wish or its link's.

    `key` is what a newcomer shows where a device is not enough: the projector's code of the moment, a
    ticket, or a pupil's code from the class list.
    """

    code: Code
    token: Token | None = None
    team: TeamNumber | None = None
    key: Key | None = None


class DisplayJoin(msgspec.Struct, frozen=True, tag="display.join"):
    """First message of a projector. `key` is the organizer's: without it no codes of the moment are told."""

    code: Code
    key: Key | None = None


class ConsoleJoin(msgspec.Struct, frozen=True, tag="console.join"):
    """First message of a control room; its session says who asks."""

    code: Code


class BallotCast(msgspec.Struct, frozen=True, tag="ballot.cast"):
    """A vote, or a change of it: `sequence` grows with every new choice, and stays at a repetition.

    `blind` is a random number that the phone drew for this choice and keeps: with it the phone finds its
    ballot in the opened list. One without is given one.
    """

    turn: Id
    epoch: Epoch
    column: Column
    sequence: Sequence
    blind: Blind | None = None


class ReceiptAsk(msgspec.Struct, frozen=True, tag="receipt.ask"):
    """Where is my ballot in the sealed list of this turn? Asked after its reveal."""

    turn: Id


class ClockAsk(msgspec.Struct, frozen=True, tag="clock.ask"):
    """Time sync: `sent` is any number of the client's, sent back as it is."""

    sent: Annotated[float, Meta(ge=0, le=2**53 - 1)]


class ActionAsk(msgspec.Struct, frozen=True, tag="action.ask"):
    """A press in the control room.

    `turn` is the turn it is meant for; `seconds` belongs to `turn.extend`, `phones` to `rehearsal.start`.
    """

    id: Id
    action: Action
    turn: Id | None = None
    seconds: Annotated[int, Meta(ge=1, le=2_592_000)] | None = None
    phones: Annotated[int, Meta(ge=1, le=MAX_CONSOLE_PHONES)] | None = None


PhoneMessage = PhoneJoin | BallotCast | ReceiptAsk | ClockAsk
DisplayMessage = DisplayJoin | ClockAsk
ConsoleMessage = ConsoleJoin | ActionAsk | ClockAsk


# ------------------------------------------------------------------ the public state of an event
class Team(msgspec.Struct, frozen=True, kw_only=True):
    number: TeamNumber
    name: str


class Legal(msgspec.Struct, frozen=True, kw_only=True):
    """What each side may pick; empty for a side that is not to move."""

    red: tuple[Column, ...]
    yellow: tuple[Column, ...]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The present turn. Ballots count from `opens_at` until before `closes_at`, unless paused.

    `epoch` grows when the ballot box lost the turn: a phone then sends the ballot it keeps again.
    `lot` is the SHA-256 of the seed that will decide every lot of the turn; the reveal opens it.
    """

    id: Id
    number: Id
    opens_at: Time
    closes_at: Time
    epoch: Epoch
    paused: bool
    left_ms: Count
    to_move: tuple[Side, ...]
    legal: Legal
    lot: Hash | None = None


Deciding = Literal["plurality", "lottery", "first", "lot", "random", "pass", "forfeit"]


class SideTally(msgspec.Struct, frozen=True, kw_only=True):
    """What a side voted: `counts[0]` is column 1. `decided_by` says how the pick came about.

    `root` is the Merkle root over the side's blinded ballots, as it was told at the seal.
    """

    counts: tuple[Count, ...]
    ballots: Count
    pick: Column | None
    decided_by: Deciding
    root: Hash | None = None


class Reveal(msgspec.Struct, frozen=True, kw_only=True):
    """The turn resolved last; a side that was not to move has no tally. `sealed_at`: no ballot since.

    `seed` decided every lot of the turn. A server of a version before does not tell them.
    """

    turn: Id
    number: Id
    sealed_at: Time = 0
    resolved_at: Time
    red: SideTally | None
    yellow: SideTally | None
    resolution: Resolution
    seed: str | None = None


TallyMethod = Literal["plurality", "lottery"]
TieRule = Literal["first", "lot"]
NoBallotRule = Literal["random", "pass", "forfeit"]


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """The latest match. `red` and `yellow` are team numbers; `turn` is None unless it is playing.

    `tally_method`, `tie_rule` and `no_ballot_rule` are the terms by which ballots become a pick, the same in
    all its turns. A server of a version before does not tell them.
    """

    id: Id
    number: Id
    game: str
    title: str
    state: Literal["playing", "ended", "aborted"]
    red: TeamNumber
    yellow: TeamNumber
    result: Result
    ended_by: Literal["board", "forfeit"] | None
    window_s: Count
    reveal_s: Count
    close_early: bool
    board: Board
    turn: Turn | None
    reveal: Reveal | None
    tally_method: TallyMethod | None = None
    tie_rule: TieRule | None = None
    no_ballot_rule: NoBallotRule | None = None


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier match; `winner` is a team number, None for a draw."""

    number: Id
    winner: TeamNumber | None
    turns: Count


Admission = Literal["open", "rotating", "tickets", "roster"]


class EventState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything public about an event: what a screen needs to show it right at any moment.

    `peek`: the organizers see the votes by column before the reveal, and everybody is told so.
    """

    code: str
    name: str
    lobby: Literal["closed", "open", "locked"]
    team_choice: Literal["balance", "choose", "link"]
    teams: tuple[Team, Team]
    match: Match | None
    next_match_at: Time | None
    finished: tuple[Finished, ...]
    admission: Admission = "open"
    peek: bool = False


# ------------------------------------------------------------------ what the server says
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


class You(msgspec.Struct, frozen=True, kw_only=True):
    """A voter's own part of the snapshot: keep `token`, it is the seat.

    `column`, `sequence` and `blind` are the ballot that counts.
    """

    token: str
    team: TeamNumber
    turn: Id | None = None
    column: Column | None = None
    sequence: Count = 0
    blind: str | None = None


class PhoneWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="phone.welcomed"):
    now_at: Time
    seq: Count
    you: You
    state: EventState


class DisplayWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="display.welcomed"):
    """`qr` are the rows of the join code's QR symbol, `1` a dark module, without quiet zone."""

    now_at: Time
    seq: Count
    join_url: str
    qr: tuple[str, ...]
    state: EventState


class ConsoleWelcomed(msgspec.Struct, frozen=True, kw_only=True, tag="console.welcomed"):
    """`display_key` goes into the fragment of the link to the projector: `/display/CODE#KEY`."""

    now_at: Time
    seq: Count
    join_url: str
    state: EventState
    display_key: Key | None = None


class TurnoutCounted(msgspec.Struct, frozen=True, kw_only=True, tag="turnout.counted"):
    """Voters connected and ballots in the present turn, a number a team; never a column."""

    turn: Id | None
    connected: tuple[Count, Count]
    voted: tuple[Count, Count]


class BallotCounted(msgspec.Struct, frozen=True, kw_only=True, tag="ballot.counted"):
    """The ballot box holds this ballot."""

    turn: Id
    column: Column
    sequence: Count


class Commitment(msgspec.Struct, frozen=True, kw_only=True):
    """What a side's sealed ballots are, without saying what they say: Merkle root and number."""

    root: Hash
    ballots: Count


class TurnSealed(msgspec.Struct, frozen=True, kw_only=True, tag="turn.sealed"):
    """No ballot is taken any more; the reveal will open these commitments. None for a side not to move.

    It may be lost on its way, and it may come again; a window that opens anew makes it void.
    """

    turn: Id
    at: Time
    red: Commitment | None
    yellow: Commitment | None


class ReceiptTold(msgspec.Struct, frozen=True, kw_only=True, tag="receipt.told"):
    """The way from the voter's ballot, number `index` (from 0) of `ballots`, to its side's root.

    `path` are the hashes beside it, lowest first (RFC 6962). `index` is None if no ballot of this voter is
    in the list, and `side` if the turn is not one to be asked for (any more). `column` and `blind` are those
    of the counted ballot: another device of the same voter may have cast it.
    """

    turn: Id
    side: Side | None
    index: Count | None = None
    ballots: Count = 0
    path: tuple[str, ...] = ()
    column: Column | None = None
    blind: str | None = None


class KeyShown(msgspec.Struct, frozen=True, kw_only=True, tag="key.shown"):
    """To a projector the organizer trusts: the code of the moment, shown until `until_at`.

    `join_url` and `qr` are as in `display.welcomed`, with the code in them.
    """

    key: Key
    until_at: Time
    join_url: str
    qr: tuple[str, ...]


class CountsTold(msgspec.Struct, frozen=True, kw_only=True, tag="counts.told"):
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


class ClockTold(msgspec.Struct, frozen=True, kw_only=True, tag="clock.told"):
    sent: float
    now_at: Time


class ActionDone(msgspec.Struct, frozen=True, kw_only=True, tag="action.done"):
    id: Id


class ActionRefused(msgspec.Struct, frozen=True, kw_only=True, tag="action.refused"):
    """`text` is fit to be shown."""

    id: Id
    text: str


class RehearsalTold(msgspec.Struct, frozen=True, kw_only=True, tag="rehearsal.told"):
    """How a rehearsal's simulated crowd fares; times are None until there are some."""

    phones: Count
    connected: Count
    sent: Count
    acknowledged: Count
    lost: Count
    ack_p99_ms: Count | None
    reveal_p99_ms: Count | None
    running: bool


class RetryTold(msgspec.Struct, frozen=True, kw_only=True, tag="retry.told"):
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
]


class ErrorTold(msgspec.Struct, frozen=True, kw_only=True, tag="error.told"):
    """What the client sent changed nothing. `text` is for its maker.

    `event` is told to a phone without a seat: what it waits for, and which teams it may choose.
    """

    code: ErrorCode
    text: str
    event: EventState | None = None


Changes = (
    LobbyOpened
    | JoiningLocked
    | JoiningUnlocked
    | EventEdited
    | MatchStarted
    | MatchAborted
    | TurnRevealed
    | TurnPaused
    | TurnResumed
    | TurnMoved
    | TurnVoided
    | TurnRestored
)
decode_change = msgspec.json.Decoder(Changes).decode
Always = Changes | TurnSealed | TurnoutCounted | ClockTold | RetryTold | ErrorTold
ToPhone = Always | PhoneWelcomed | BallotCounted | BallotRefused | ReceiptTold
ToDisplay = Always | DisplayWelcomed | KeyShown
ToConsole = Always | ConsoleWelcomed | ActionDone | ActionRefused | RehearsalTold | CountsTold


# ------------------------------------------------------------------ close codes
class CloseCode:
    """4000-4499: come back, when `retry.told` said or with a growing random delay. 4500-4999: stay away."""

    JOIN_TIMEOUT = 4001
    TOO_MANY_FRAMES = 4003
    UNAVAILABLE = 4004
    TOO_SLOW = 4005
    RESTARTING = 4006
    CROWDED = 4007
    BAD_FRAME = 4500
    FRAME_TOO_LARGE = 4501
    NO_SUCH_EVENT = 4502
    BAD_TOKEN = 4503
    NOT_ALLOWED = 4504
    OPEN_ELSEWHERE = 4505

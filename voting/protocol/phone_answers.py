"""Answers to the messages of a phone."""

from typing import Literal

import msgspec

from games.engine.game import Side
from voting.counting.types import Count
from voting.protocol.client import DuelAction
from voting.protocol.fields import Choice, Id, Sequence, Time
from voting.protocol.snapshot import (
    AcceptedSideChange,
)


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


class BallotChanged(msgspec.Struct, frozen=True, kw_only=True, tag="ballot.changed"):
    """Another socket of this voter has cast the ballot that counts now.

    Sent to the voter's other sockets at the same gateway. Tabs of a browser also share their receipts.

    Attributes:
        turn: `id` of the turn.
        choice: The choice that counts.
        sequence: Its sequence. Continue from here.
        blind: Its blind.
    """

    turn: Id
    choice: Choice
    sequence: Count
    blind: str


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


class NicknameAnswered(msgspec.Struct, frozen=True, kw_only=True, tag="nickname.answered"):
    """The voter's nickname: the answer to `nickname.ask`. Also sent when an organizer removes it.

    Attributes:
        name: The nickname, or empty.
        allowed: Whether others can see it. A typed one waits until an organizer has allowed it.
        removed: An organizer removed the nickname, and the voter can't choose another.
        suggestions: Nicknames to choose from.
        problem: Why the choice was refused, as text to show, or empty.
    """

    name: str = ""
    allowed: bool = False
    removed: bool = False
    suggestions: tuple[str, ...] = ()
    problem: str = ""


class ReceiptIssued(msgspec.Struct, frozen=True, kw_only=True, tag="receipt.issued"):
    """The Merkle path from the voter's ballot to the root of its side, see
    [Receipts](../protocol.md#receipts).

    Attributes:
        turn: As sent.
        side: The side the voter voted for. Null: the server can't answer now, or sides are secret.
        index: Position of the ballot in the side's list, from 0. The list is sorted by leaf hash. Null: it
            has no ballot of this voter.
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

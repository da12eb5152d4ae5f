"""What a client says: `noun.verb`."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from voting.protocol.fields import Blind, Code, Column, Epoch, Id, Key, Sequence, TeamNumber, Token

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

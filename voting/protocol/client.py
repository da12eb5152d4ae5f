"""What a client says: `noun.verb`."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from voting.counting.types import Count
from voting.protocol.fields import Blind, Choice, Code, Epoch, Id, Key, Sequence, TeamNumber, Token
from voting.protocol.state import Part

Action = Literal[
    "lobby.open",
    "joining.lock",
    "joining.unlock",
    "match.start",
    "match.abort",
    "turn.pause",
    "turn.resume",
    "turn.extend",
    "turn.shorten",
    "turn.close",
    "turn.void",
    "turn.extra_time",
    "hands.count",
    "notice.show",
    "notice.clear",
    "part.hide",
    "part.show",
    "voter.move",
    "voter.kick",
    "voter.ban",
    "voter.admit",
    "voter.captain",
    "rehearsal.start",
    "rehearsal.stop",
]
MAX_CONSOLE_PHONES = 200
MAX_NOTICE = 140
MAX_HANDS = 5_000
MAX_VOTER_CODE_TYPED = 16
MAX_QUERY = 60


class PhoneJoin(msgspec.Struct, frozen=True, tag="phone.join"):
    """First message of a phone. `token` is the one it was given before, `team` its wish or its link's.

    `key` is what a newcomer shows where a device is not enough: the projector's code of the moment, a
    ticket, or a pupil's code from the class list. `offer` is the seat its page came with (see PagePreload).
    """

    code: Code
    token: Token | None = None
    team: TeamNumber | None = None
    key: Key | None = None
    offer: Token | None = None


class DisplayJoin(msgspec.Struct, frozen=True, tag="display.join"):
    """First message of a projector. `key` is the organizer's: without it no codes of the moment are told."""

    code: Code
    key: Key | None = None


class ConsoleJoin(msgspec.Struct, frozen=True, tag="console.join"):
    """First message of a control room; its session says who asks."""

    code: Code


class BallotCast(msgspec.Struct, frozen=True, tag="ballot.cast"):
    """A vote, or a change of it: `sequence` grows with every new choice, and stays at a repetition.

    `choice` is a column, or where the match takes them several in one number (see "A ballot's column").
    `blind` is a random number that the phone drew for this choice and keeps: with it the phone finds its
    ballot in the opened list. One without is given one.
    """

    turn: Id
    epoch: Epoch
    choice: Choice
    sequence: Sequence
    blind: Blind | None = None


class ReceiptAsk(msgspec.Struct, frozen=True, tag="receipt.ask"):
    """Where is my ballot in the sealed list of this turn? Asked after its reveal."""

    turn: Id


class SideChangeAsk(msgspec.Struct, frozen=True, tag="side.change"):
    """Change over to `team`, before the window of `turn` opens: the voter's change `number` of the match.

    The same one may be said again. `blind` is a random number of the phone's, as for a ballot.
    """

    turn: Id
    number: Sequence
    team: TeamNumber
    blind: Blind | None = None


class CheerSend(msgspec.Struct, frozen=True, tag="cheer.send"):
    """So many presses of the warm-up, between matches: they are shown, and count for nothing."""

    presses: Annotated[int, Meta(ge=1, le=20)]


class RematchAsk(msgspec.Struct, frozen=True, tag="rematch.ask"):
    """In the open hall, once a match is over: another one. It begins when both teams have asked for it."""


class ClockAsk(msgspec.Struct, frozen=True, tag="clock.ask"):
    """Time sync: `sent` is any number of the client's, sent back as it is."""

    sent: Annotated[float, Meta(ge=0, le=2**53 - 1)]


class ActionAsk(msgspec.Struct, frozen=True, tag="action.ask"):
    """A press in the control room.

    `turn` is the turn it is meant for; `seconds` belongs to `turn.extend`, `turn.shorten` and
    `turn.extra_time`, `phones` to `rehearsal.start`, `text` to `notice.show`, `part` to `part.hide` and
    `part.show`; `team` and `hands`, the votes counted for column 1 and so on, to `hands.count`, which counts
    anew whatever was typed in before. `voter_code` is whose phone the actions of a voter are about, and
    `team` where `voter.move` puts it: without one, back where it came from; `voter.captain` makes it the
    captain of `team`, or without one of none.
    """

    id: Id
    action: Action
    turn: Id | None = None
    seconds: Annotated[int, Meta(ge=1, le=2_592_000)] | None = None
    phones: Annotated[int, Meta(ge=1, le=MAX_CONSOLE_PHONES)] | None = None
    text: Annotated[str, Meta(max_length=MAX_NOTICE)] | None = None
    part: Part | None = None
    team: TeamNumber | None = None
    hands: Annotated[tuple[Annotated[int, Meta(ge=0, le=MAX_HANDS)], ...], Meta(max_length=32)] | None = None
    voter_code: Annotated[str, Meta(max_length=MAX_VOTER_CODE_TYPED)] | None = None


class PeopleAsk(msgspec.Struct, frozen=True, tag="people.ask"):
    """Who is on the class list or was ruled about: those with `query` in name or sign, from `skip` on."""

    query: Annotated[str, Meta(max_length=MAX_QUERY)] = ""
    skip: Count = 0


PhoneMessage = PhoneJoin | BallotCast | ReceiptAsk | SideChangeAsk | CheerSend | RematchAsk | ClockAsk
DisplayMessage = DisplayJoin | ClockAsk
ConsoleMessage = ConsoleJoin | ActionAsk | PeopleAsk | ClockAsk

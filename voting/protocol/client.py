"""Messages from clients to the server."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from voting.counting.types import Count
from voting.protocol.fields import (
    ActionName,
    Blind,
    Choice,
    Code,
    Epoch,
    Id,
    Key,
    Sequence,
    TeamNumber,
    Token,
)
from voting.protocol.state import Part

MAX_CONSOLE_PHONES = 200
MAX_NOTICE = 140
MAX_HANDS = 5_000
MAX_VOTER_CODE_TYPED = 16
MAX_QUERY = 60
MAX_NICKNAME_TYPED = 80
MAX_CURSOR = 21


class PhoneJoin(msgspec.Struct, frozen=True, tag="phone.join"):
    """First message of a phone.

    Answered by `phone.welcomed`, by `error`, or by a close code. After an `error` the socket stays open,
    receives the event's changes and may send `phone.join` again.

    Attributes:
        code: The join code, in either case.
        token: The seat from an earlier `phone.welcomed`.
        team: The requested team, where the event lets people choose or the link names one.
        key: A new voter's key, where `admission` requires one: the rotating code, a ticket or a roster code.
            Spaces, dashes and case are ignored.
        offer: A new voter's offered seat from `PagePreload`. It is ignored after two minutes or once it is
            taken.
        removed: Whether an organizer removed this phone (4506) and it waits for that to be undone. Until
            then, the join is refused with 4506 again.
    """

    code: Code
    token: Token | None = None
    team: TeamNumber | None = None
    key: Key | None = None
    offer: Token | None = None
    removed: bool = False


class DisplayJoin(msgspec.Struct, frozen=True, tag="display.join"):
    """First message of a display.

    Attributes:
        code: The join code.
        key: The display key from the console's link. Required for `key.shown`.
        preview: It is a console's miniature. With the key, it takes no display's place.
    """

    code: Code
    key: Key | None = None
    preview: bool = False


class ConsoleJoin(msgspec.Struct, frozen=True, tag="console.join"):
    """First message of a console. The session cookie identifies the organizer.

    Attributes:
        code: The join code. The organizer must own the event or be one of its members.
    """

    code: Code


class BallotCast(msgspec.Struct, frozen=True, tag="ballot.cast"):
    """Cast a ballot, or change it.

    Answered by `ballot.counted` or `ballot.refused`. The last ballot of a voter counts.

    Attributes:
        turn: `id` of the turn.
        epoch: `epoch` of the turn.
        choice: The choice as one number, see [Choices](../protocol.md#choices).
        sequence: Grows with every new choice of this voter in this turn. Repeat it to send the same choice
            again.
        blind: Random number drawn for this choice. The phone keeps it to find its ballot in the opened list.
            Without one, the server draws one.
    """

    turn: Id
    epoch: Epoch
    choice: Choice
    sequence: Sequence
    blind: Blind | None = None


class ReceiptAsk(msgspec.Struct, frozen=True, tag="receipt.ask"):
    """Ask for the proof that the voter's ballot is in a sealed list. Answered by `receipt.issued`.

    Attributes:
        turn: `id` of a revealed turn.
    """

    turn: Id


class DropShow(msgspec.Struct, frozen=True, tag="drop.show"):
    """Ask displays to mark the particle of the voter's ballot in the reveal, answered by `drop.answered`.

    Send it while the turn is open or its reveal shows the piles.

    Attributes:
        turn: `id` of the current turn, or of the turn that is being revealed.
    """

    turn: Id


class SideChangeAsk(msgspec.Struct, frozen=True, tag="side.change"):
    """Change sides in a match with secret sides.

    Answered by `side.changed`, to all sockets of the voter, or by `side.refused`. Idempotent.

    Attributes:
        turn: `id` of the current turn, before its window opens.
        number: 1 for the voter's first change in the match, 2 for the second, and so on.
        team: The team whose side the voter joins.
        blind: Random number that commits to the change. Without one, the server draws one.
    """

    turn: Id
    number: Sequence
    team: TeamNumber
    blind: Blind | None = None


class CheerSend(msgspec.Struct, frozen=True, tag="cheer.send"):
    """Warm-up taps, between matches and before a window opens. Displays show them. There is no answer.

    Send at most four messages a second. The server drops what exceeds that, or arrives during a vote or a
    reveal.

    Attributes:
        presses: Taps since the last message.
    """

    presses: Annotated[int, Meta(ge=1, le=20)]


class RematchAsk(msgspec.Struct, frozen=True, tag="rematch.ask"):
    """Ask for a rematch in a duel whose match is over. It starts when both teams have asked.

    Ignored where `rematch_wanted_by` is null.
    """


DuelAction = Literal["resign", "abort", "draw", "takeback", "decline"]
"""What a player of a duel can ask for.

Values:
    resign: The opponent wins.
    abort: End the match without a result, before the first reveal.
    draw: Offer a draw, or accept the opponent's offer.
    takeback: Offer to vote the last turn again, or accept that. Only in games that aren't rated.
    decline: Decline the opponent's offers.
"""


class DuelAsk(msgspec.Struct, frozen=True, tag="duel.ask"):
    """Act as a player of a duel. The event's next change shows the result; `duel.refused` says why not.

    Attributes:
        action: What to do.
        turn: `id` of the turn that the player sees, open or next. Offers and answers are refused in another.
    """

    action: DuelAction
    turn: Id


class NicknameAsk(msgspec.Struct, frozen=True, tag="nickname.ask"):
    """Choose a nickname, or ask for the voter's own. Answered by `nickname.answered`.

    Attributes:
        name: The nickname to have. Empty: none. Null: only ask.
        language: The language of suggestions and of the answer's text.
    """

    name: Annotated[str, Meta(max_length=MAX_NICKNAME_TYPED)] | None = None
    language: Annotated[str, Meta(max_length=10)] = ""


class ClockAsk(msgspec.Struct, frozen=True, tag="clock.ask"):
    """Synchronize clocks. Allowed on every socket, also before the join. Answered by `clock.synced`.

    Attributes:
        sent: Any number, for example the client's own time in milliseconds. It is sent back unchanged.
    """

    sent: Annotated[float, Meta(ge=0, le=2**53 - 1)]


class ActionAsk(msgspec.Struct, frozen=True, tag="action.ask"):
    """Perform an action in the console. Answered by `action.done` or `action.refused`.

    Attributes:
        id: Sent back in the answer.
        action: Name of an [action](actions.md), which also says what other fields it takes.
        turn: The turn to act on; for `turn.void` the one closed last. If another turn is current by now,
            the action is refused.
        seconds: The time to add or to remove, or how long to show a message (omitted: until it is cleared).
        phones: The size of a simulated crowd.
        text: One line. Invisible characters are removed. For `voter.allow_nickname` the nickname to allow.
        part: The part to hide or to show.
        team: The team whose hands were counted, that a captain leads, or to which a voter moves (omitted: the
            seat's own team).
        hands: The hands for choice 1, 2 and so on, 5,000 in total at most.
        voter_code: The six letters shown on the phone. Spaces, dashes and case are ignored.
        successor: The voter who becomes captain of the team that a captain leaves (omitted: nobody).
    """

    id: Id
    action: ActionName
    turn: Id | None = None
    seconds: Annotated[int, Meta(ge=1, le=2_592_000)] | None = None
    phones: Annotated[int, Meta(ge=1, le=MAX_CONSOLE_PHONES)] | None = None
    text: Annotated[str, Meta(max_length=MAX_NOTICE)] | None = None
    part: Part | None = None
    team: TeamNumber | None = None
    hands: Annotated[tuple[Annotated[int, Meta(ge=0, le=MAX_HANDS)], ...], Meta(max_length=32)] | None = None
    voter_code: Annotated[str, Meta(max_length=MAX_VOTER_CODE_TYPED)] | None = None
    successor: Annotated[str, Meta(max_length=MAX_VOTER_CODE_TYPED)] | None = None


class ActionUndo(msgspec.Struct, frozen=True, tag="action.undo"):
    """Undo what an audit log entry records. Answered like `action.ask`.

    The server refuses it once the entry's `undo` is null.

    Attributes:
        id: Sent back in the answer.
        entry: `id` of one of the last ten entries.
    """

    id: Id
    entry: Id


class PeopleAsk(msgspec.Struct, frozen=True, tag="people.ask"):
    """List restricted voters, the class list and connected phones. Answered by `people.found`; a viewer gets
    an empty result.

    Attributes:
        id: The client's number for this request.
        query: Part of a name or of a voter code. Empty: everyone.
        team: Only people of this team.
        voted: Only people who have voted in the open turn, or only those who have not.
        after: `more` of the previous page. Empty: the first page.
    """

    id: Count = 0
    query: Annotated[str, Meta(max_length=MAX_QUERY)] = ""
    team: TeamNumber | None = None
    voted: bool | None = None
    after: Annotated[str, Meta(max_length=MAX_CURSOR)] = ""


PhoneMessage = (
    PhoneJoin
    | BallotCast
    | ReceiptAsk
    | DropShow
    | SideChangeAsk
    | CheerSend
    | RematchAsk
    | DuelAsk
    | NicknameAsk
    | ClockAsk
)
DisplayMessage = DisplayJoin | ClockAsk
ConsoleMessage = ConsoleJoin | ActionAsk | ActionUndo | PeopleAsk | ClockAsk

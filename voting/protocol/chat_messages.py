"""Messages of the chat socket. Messages of guests are posted through HTTP, suggestions through the socket."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from voting.counting.types import Count
from voting.protocol.client import ClockAsk
from voting.protocol.fields import Choice, Id, Time, Token
from voting.protocol.server import ClockSynced, Error, RetryAfter


class ChatJoin(msgspec.Struct, frozen=True, tag="chat.join"):
    """First message of a page with a chat room, or of a phone whose event has a team discussion.

    Attributes:
        key: The page's key (`data-key`). It names the room and the reader, and is valid for one day. A phone
            sends its seat token.
        seq: `seq` of the last `chat.posted`, initially the page's `data-seq`.
    """

    key: Token
    seq: Count = 0


class ChatLine(msgspec.Struct, frozen=True, kw_only=True):
    """One chat message. Render every field as plain text.

    Attributes:
        id: Identifies the message. A known `id` replaces the message shown before.
        at: When it was posted.
        who: The guest's number.
        name: The guest's name at that time.
        text: One line of at most 200 characters, without invisible characters.
        removed: A moderator removed the message. The other fields are empty.
    """

    id: Id
    at: Time
    who: Count = 0
    name: str = ""
    text: str = ""
    removed: bool = False


class ChatPosted(msgspec.Struct, frozen=True, kw_only=True, tag="chat.posted"):
    """Messages posted or removed since the last `chat.posted`, sent at most twice a second.

    Attributes:
        seq: Number of the latest change in the room. If it is lower than before, a backup was restored:
            reload the page.
        slow_s: Seconds that everyone waits between two messages.
        closed: The room is closed: nobody can post.
        lines: Messages in the order in which they changed, the last 100 at most.
    """

    seq: Count
    slow_s: Count
    closed: bool
    lines: tuple[ChatLine, ...]


class SuggestionSend(msgspec.Struct, frozen=True, tag="suggestion.send"):
    """Suggest something to the own team, before or during a vote. Answered by `suggestion.answered`.

    Attributes:
        text: One line of at most 140 characters without links. Invisible characters are removed.
        choice: The column it is about, which must be legal for the team.
        language: The language of the answer's text.
    """

    text: Annotated[str, Meta(max_length=560)]
    choice: Choice | None = None
    language: Annotated[str, Meta(max_length=10)] = ""


class SuggestionMark(msgspec.Struct, frozen=True, tag="suggestion.mark"):
    """Agree with a suggestion, take that back, or report it. Idempotent. Answered by `suggestion.answered`.

    Attributes:
        id: The suggestion, one of the current turn.
        mark: What to do.
    """

    id: Id
    mark: Literal["agree", "withdraw", "report"]


class SuggestionAnswered(msgspec.Struct, frozen=True, tag="suggestion.answered"):
    """Answer to the voter alone. Also sent after the join.

    Attributes:
        agreed: The suggestions of the current turn that the voter agrees with.
        problem: Why the suggestion was refused, in the voter's language; or empty.
    """

    agreed: tuple[Id, ...]
    problem: str = ""


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """A suggestion. Render every field as plain text.

    Attributes:
        id: Identifies the suggestion.
        name: The voter's nickname, or empty.
        text: One line of at most 140 characters, without invisible characters.
        choice: The column it is about.
        agreed: How many voters agree.
    """

    id: Id
    name: str
    text: str
    choice: Choice | None
    agreed: Count


class DiscussionUpdated(msgspec.Struct, frozen=True, kw_only=True, tag="discussion.updated"):
    """The suggestions of one's team in the current turn, sent when they change, at most once a second.

    Attributes:
        seq: Number of the latest change in the room.
        turn: `id` of the turn; 0 if there is none.
        total: The number of suggestions in the turn.
        suggestions: The 30 with most support and the 20 newest. Those with most support come first, and the
            older one if equal.
    """

    seq: Count
    turn: Count
    total: Count
    suggestions: tuple[Suggestion, ...]


ChatMessage = ChatJoin | SuggestionSend | SuggestionMark | ClockAsk
ToChat = ChatPosted | DiscussionUpdated | SuggestionAnswered | ClockSynced | RetryAfter | Error

"""Messages of the chat socket. Posting goes through HTTP; the socket only delivers."""

import msgspec

from voting.counting.types import Count
from voting.protocol.client import ClockAsk
from voting.protocol.fields import Id, Time, Token
from voting.protocol.server import ClockSynced, Error, RetryAfter


class ChatJoin(msgspec.Struct, frozen=True, tag="chat.join"):
    """First message of a page with a chat room.

    Attributes:
        key: The page's key (`data-key`). It names the room and the reader, and is valid for one day.
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


ChatMessage = ChatJoin | ClockAsk
ToChat = ChatPosted | ClockSynced | RetryAfter | Error

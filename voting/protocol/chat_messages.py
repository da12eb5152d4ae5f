"""What is said where guests talk: a socket of its own, which only listens."""

import msgspec

from voting.counting.types import Count
from voting.protocol.client import ClockAsk
from voting.protocol.fields import Id, Time, Token
from voting.protocol.server import ClockSynced, Error, RetryAfter


class ChatJoin(msgspec.Struct, frozen=True, tag="chat.join"):
    """First message of a page where guests talk. `key` is the page's; it names the room and who reads.

    `seq` is that of the last `chat.posted`, or what the page came with.
    """

    key: Token
    seq: Count = 0


class ChatLine(msgspec.Struct, frozen=True, kw_only=True):
    """A message; `who` is the guest's number, `name` what they were called then.

    Of one that is `removed` nothing is told: take it away.
    """

    id: Id
    at: Time
    who: Count = 0
    name: str = ""
    text: str = ""
    removed: bool = False


class ChatPosted(msgspec.Struct, frozen=True, kw_only=True, tag="chat.posted"):
    """What was said or removed since, oldest change first; at most twice a second.

    `slow_s` is how long everybody waits after a message; in a room that is `closed` nobody speaks. A `seq`
    lower than the last one: the room is an older copy of itself.
    """

    seq: Count
    slow_s: Count
    closed: bool
    lines: tuple[ChatLine, ...]


ChatMessage = ChatJoin | ClockAsk
ToChat = ChatPosted | ClockSynced | RetryAfter | Error

"""Chat rate limits: per guest, for all new guests together, per room. Slow mode and duplicate messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

RATE_WINDOW = timedelta(minutes=1)
NEW_GUEST_PERIOD = timedelta(minutes=10)
MAX_PER_GUEST = 12
MAX_BY_NEW_GUESTS = 30
MAX_PER_ROOM = 120


@dataclass(frozen=True, slots=True)
class RecentMessage:
    """A posted message, or one that `guest` wants to post now. `came_at` is when the guest was created."""

    guest: int
    came_at: datetime
    text: str
    at: datetime

    @property
    def is_new(self) -> bool:
        return self.at - self.came_at < NEW_GUEST_PERIOD


class Limit(Enum):
    DUPLICATE = auto()
    SLOW_MODE = auto()
    GUEST = auto()
    NEW_GUESTS = auto()
    ROOM = auto()


@dataclass(frozen=True, slots=True)
class RateLimited:
    """The limit that a message exceeds. In slow mode, the guest may post again after `wait_s` seconds."""

    limit: Limit
    wait_s: int = 0


def lookback(slow_s: int) -> timedelta:
    """Return the period of recent messages that the limits need."""
    return max(RATE_WINDOW, timedelta(seconds=slow_s))


def exceeded_limit(wish: RecentMessage, said: Sequence[RecentMessage], slow_s: int) -> RateLimited | None:
    """Return why `wish` may not be posted after the messages `said`, or None if it may.

    `said` holds the room's messages of the lookback period, `slow_s` the room's slow mode in seconds. A guest
    who deletes the cookie is new again, so new guests share one limit.
    """
    own = [one for one in said if one.guest == wish.guest]
    minute = [one for one in said if wish.at - one.at < RATE_WINDOW]
    if any(normalize_text(one.text) == normalize_text(wish.text) for one in own):
        return RateLimited(Limit.DUPLICATE)
    if own and (left := slow_s - (wish.at - max(one.at for one in own)).total_seconds()) > 0:
        return RateLimited(Limit.SLOW_MODE, max(1, round(left)))
    if sum(one.guest == wish.guest for one in minute) >= MAX_PER_GUEST:
        return RateLimited(Limit.GUEST)
    if wish.is_new and sum(one.is_new for one in minute) >= MAX_BY_NEW_GUESTS:
        return RateLimited(Limit.NEW_GUESTS)
    if len(minute) >= MAX_PER_ROOM:
        return RateLimited(Limit.ROOM)
    return None


def normalize_text(text: str) -> str:
    """Return the text for duplicate detection: letters and digits only, in lower case.

    Other text stays as it is.
    """
    chars = "".join(char for char in text.casefold() if char.isalnum())
    return chars or text

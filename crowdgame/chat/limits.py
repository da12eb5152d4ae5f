"""Chat rate limits: per guest, for all new guests together, per room. Slow mode and duplicate messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

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


def lookback(slow_s: int) -> timedelta:
    """Return the period of recent messages that the limits need."""
    return max(RATE_WINDOW, timedelta(seconds=slow_s))


def rate_limit_refusal(wish: RecentMessage, said: Sequence[RecentMessage], slow_s: int) -> str:
    """Return why `wish` may not be posted after the messages `said`, or an empty string if it may.

    `said` holds the room's messages of the lookback period, `slow_s` the room's slow mode in seconds. A guest
    who deletes the cookie is new again, so new guests share one limit.
    """
    own = [one for one in said if one.guest == wish.guest]
    minute = [one for one in said if wish.at - one.at < RATE_WINDOW]
    if any(normalize_text(one.text) == normalize_text(wish.text) for one in own):
        return "You just posted that message."
    if own and (left := slow_s - (wish.at - max(one.at for one in own)).total_seconds()) > 0:
        return f"One message every {slow_s} s. Wait {max(1, round(left))} s."
    if sum(one.guest == wish.guest for one in minute) >= MAX_PER_GUEST:
        return f"Limit reached: {MAX_PER_GUEST} messages per minute. Wait a moment."
    if wish.is_new and sum(one.is_new for one in minute) >= MAX_BY_NEW_GUESTS:
        return "Too many messages from new guests. Try again in a minute."
    if len(minute) >= MAX_PER_ROOM:
        return "Too many messages in this room. Try again in a minute."
    return ""


def normalize_text(text: str) -> str:
    """Return the text for duplicate detection: letters and digits only, in lower case.

    Other text stays as it is.
    """
    chars = "".join(char for char in text.casefold() if char.isalnum())
    return chars or text

"""How much may be said: by one guest, by all who have just come, and in a room at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

A_MINUTE = timedelta(minutes=1)
NEW_FOR = timedelta(minutes=10)
MOST_BY_ONE = 12
MOST_BY_NEW = 30
MOST = 120


@dataclass(frozen=True, slots=True)
class Said:
    """A message, or one that somebody (`guest`) wants to say now; `came_at` is when they got their name."""

    guest: int
    came_at: datetime
    text: str
    at: datetime

    @property
    def is_new(self) -> bool:
        return self.at - self.came_at < NEW_FOR


def looked_back(slow_s: int) -> timedelta:
    """What was said so lately matters."""
    return max(A_MINUTE, timedelta(seconds=slow_s))


def why_not(wish: Said, said: Sequence[Said], slow_s: int) -> str:
    """Why this cannot be said after what was said lately; empty if it can.

    Whoever throws the cookie away is new each time: so those who are new share what they may say.
    """
    own = [one for one in said if one.guest == wish.guest]
    minute = [one for one in said if wish.at - one.at < A_MINUTE]
    if any(folded(one.text) == folded(wish.text) for one in own):
        return "You have just said that."
    if own and (left := slow_s - (wish.at - max(one.at for one in own)).total_seconds()) > 0:
        return f"One message in {slow_s} s: wait {max(1, round(left))} s."
    if sum(one.guest == wish.guest for one in minute) >= MOST_BY_ONE:
        return f"{MOST_BY_ONE} messages a minute are enough: wait a little."
    if wish.is_new and sum(one.is_new for one in minute) >= MOST_BY_NEW:
        return "Many who have just come are talking: wait a minute."
    if len(minute) >= MOST:
        return "Too many are talking at once: wait a minute."
    return ""


def folded(text: str) -> str:
    """What makes no other message of it: case, spaces, and anything that is neither letter nor digit."""
    chars = "".join(char for char in text.casefold() if char.isalnum())
    return chars or text

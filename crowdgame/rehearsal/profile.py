"""Voting profiles: when simulated voters cast their ballots in a window (think time, voting delay).

The profiles named after connections (herd, churn; see `churn.py`) vote like `spread`.
"""

from random import Random
from typing import Literal, get_args

Profile = Literal["spread", "burst", "last-second", "herd", "churn"]
PROFILES: tuple[Profile, ...] = get_args(Profile)

REVOTE_SHARE = 0.15
MARGIN_MS = 150.0
BURST_MS = 2000.0
LAST_MS = 1000.0


def draw_moments(profile: Profile, begins_ms: float, ends_ms: float, rng: Random) -> list[float]:
    """Return one time to vote, or two for a voter who votes again, in ms, sorted and within the window."""
    count = 2 if rng.random() < REVOTE_SHARE else 1
    last = max(begins_ms, ends_ms - MARGIN_MS)
    moments = (_draw(profile, begins_ms, last, rng) for _ in range(count))
    return sorted(min(max(moment, begins_ms), last) for moment in moments)


def _draw(profile: Profile, begins: float, last: float, rng: Random) -> float:
    if profile == "burst":
        return begins + rng.uniform(0, BURST_MS)
    if profile == "last-second":
        return last - rng.uniform(0, LAST_MS)
    return begins + (last - begins) * rng.betavariate(1.6, 2.4)

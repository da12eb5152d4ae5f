"""The time in which ballots are taken, in whole milliseconds by the ballot box's clock."""

from dataclasses import dataclass, replace

START_LEAD_MS = 3_000
RESUME_LEAD_MS = 1_000
MIN_RESTORED_MS = 10_000
STORED_FROM_MS = 600_000


@dataclass(frozen=True, slots=True)
class Window:
    opens_at: int
    closes_at: int

    def left_ms(self, now: int) -> int:
        return max(0, self.closes_at - max(now, self.opens_at))


def talk_left_ms(window: Window, now: int, talk_s: int) -> int:
    """What is left of the talk before it; of the lead before the talk, nothing."""
    return min(max(0, window.opens_at - now), talk_s * 1000)


def open_window(now: int, lead_ms: int, window_s: int, talk_s: int = 0) -> Window:
    """After the lead people have `talk_s` to talk: from that long before it opens."""
    opens_at = now + lead_ms + talk_s * 1000
    return Window(opens_at, opens_at + window_s * 1000)


def resume_window(now: int, left_ms: int, talk_left_ms: int = 0) -> Window:
    """What was left when it was paused, after the rest of the talk, or a short lead to look up again."""
    opens_at = now + max(RESUME_LEAD_MS, talk_left_ms)
    return Window(opens_at, opens_at + left_ms)


def extend_window(window: Window, now: int, seconds: int) -> Window:
    """`seconds` more than there are left; a window that ran out runs again from now."""
    return replace(window, closes_at=max(window.closes_at, now) + seconds * 1000)


def close_window(window: Window, now: int) -> Window:
    return Window(min(window.opens_at, now), min(window.closes_at, now))


def shift_window(window: Window, ms: int) -> Window:
    return Window(window.opens_at + ms, window.closes_at + ms)


def restore_window(window: Window, now: int, window_s: int) -> Window:
    """Time enough to send the ballots of a lost box again."""
    least = max(now, window.opens_at) + min(window_s * 1000, MIN_RESTORED_MS)
    return replace(window, closes_at=max(window.closes_at, least))


def is_stored(window_ms: int) -> bool:
    """Whether ballots of such a long window are written to the database before they are acknowledged."""
    return window_ms > STORED_FROM_MS

"""The voting window in which ballots count, in whole milliseconds of the ballot box's clock."""

from dataclasses import dataclass, replace

START_LEAD_MS, SPECIAL_RULE_MS = 3_000, 2_500
RESUME_LEAD_MS = 1_000
MIN_RESTORED_MS, MAX_RESTORED_MS, MAX_OUTAGE_MS = 10_000, 60_000, 600_000
EXTENSION_MS = 3_000
STORED_FROM_MS = 600_000


@dataclass(frozen=True, slots=True)
class Window:
    """When ballots count: from `opens_at` until before `closes_at`, in Unix milliseconds."""

    opens_at: int
    closes_at: int

    def left_ms(self, now: int) -> int:
        """Return the milliseconds of voting that remain at `now`."""
        return max(0, self.closes_at - max(now, self.opens_at))


def start_lead_ms(special_rules: int) -> int:
    """Return the milliseconds before a match's first turn: enough to read its special rules."""
    return START_LEAD_MS + special_rules * SPECIAL_RULE_MS


def talk_left_ms(window: Window, now: int, talk_ms: int) -> int:
    """Return what is left of the talk time before the window. The lead before the talk does not count."""
    return min(max(0, window.opens_at - now), talk_ms)


def open_window(begins_at: int, window_s: int, talk_s: int = 0) -> Window:
    """Return a window that opens after `talk_s` seconds of talk time, which begins at `begins_at`."""
    opens_at = begins_at + talk_s * 1000
    return Window(opens_at, opens_at + window_s * 1000)


def resume_window(now: int, left_ms: int, talk_left_ms: int = 0) -> Window:
    """Return the window of a resumed turn: `left_ms` after the rest of the talk time or RESUME_LEAD_MS."""
    opens_at = now + max(RESUME_LEAD_MS, talk_left_ms)
    return Window(opens_at, opens_at + left_ms)


def extend_window(window: Window, now: int, seconds: int) -> Window:
    """Add `seconds` to the time left. A window that has ended runs again from now."""
    return replace(window, closes_at=max(window.closes_at, now) + seconds * 1000)


def close_window(window: Window, now: int) -> Window:
    """Return the window closed at `now`, or earlier if it has closed already."""
    return Window(min(window.opens_at, now), min(window.closes_at, now))


def shift_window(window: Window, ms: int) -> Window:
    """Return the window moved by `ms`, later if positive."""
    return Window(window.opens_at + ms, window.closes_at + ms)


def keep_window_open(window: Window, until: int) -> Window:
    """Extend the window if it closes before `until`, by EXTENSION_MS more so that extensions are rare."""
    return window if window.closes_at >= until else replace(window, closes_at=until + EXTENSION_MS)


def restored_until(now: int, lost_at: int, reached_at: int | None, *, complete: bool) -> int:
    """Return until when a window whose box was lost must stay open, for clients to send ballots again.

    It lasts at least MIN_RESTORED_MS from `reached_at`, when clients can reach a gateway again, and waits at
    most MAX_RESTORED_MS for the voters to be `complete`. Without a gateway (None) it waits MAX_OUTAGE_MS.
    """
    if reached_at is None:
        return now + MIN_RESTORED_MS if now < lost_at + MAX_OUTAGE_MS else now
    waiting = not complete and now < reached_at + MAX_RESTORED_MS
    return max(reached_at + MIN_RESTORED_MS, now + EXTENSION_MS if waiting else 0)


def is_stored(window_ms: int) -> bool:
    """Return whether ballots of so long a window are always stored before they are acknowledged."""
    return window_ms > STORED_FROM_MS

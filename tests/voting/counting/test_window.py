import pytest
from hypothesis import given
from hypothesis import strategies as st

from voting.counting.window import (
    RESUME_LEAD_MS,
    STORED_FROM_MS,
    Window,
    close_window,
    extend_window,
    is_stored,
    keep_window_open,
    open_window,
    restored_until,
    resume_window,
    shift_window,
    talk_left_ms,
)

WINDOW = Window(opens_at=1_000, closes_at=21_000)
times = st.integers(0, 10**13)
spans = st.integers(0, 2_592_000_000)
windows = st.builds(lambda opens, span: Window(opens, opens + span), times, spans)


def test_window_opens_after_talk_and_its_time_left_counts_from_then() -> None:
    assert open_window(8_000, 20) == Window(8_000, 28_000)
    assert open_window(8_000, 20, 60) == Window(68_000, 88_000)
    lefts = {0: 20_000, 1_000: 20_000, 1_001: 19_999, 20_999: 1, 21_000: 0, 99_000: 0}
    assert {now: WINDOW.left_ms(now) for now in lefts} == lefts
    talk = {-5_000: 2_000, -500: 1_500, 1_000: 0, 9_000: 0}
    assert {now: talk_left_ms(WINDOW, now, 2_000) for now in talk} == talk
    assert shift_window(WINDOW, 500) == Window(1_500, 21_500)


@given(windows, times)
def test_resume_window_keeps_remaining_time(window: Window, now: int) -> None:
    later = now + 60_000
    resumed = resume_window(later, window.left_ms(now))
    assert resumed.left_ms(later) == window.left_ms(now)
    assert resumed.opens_at == later + RESUME_LEAD_MS


@given(windows, times, st.integers(1, 600))
def test_extend_window_adds_at_least_its_seconds(window: Window, now: int, seconds: int) -> None:
    longer = extend_window(window, now, seconds)
    assert longer.opens_at == window.opens_at
    assert longer.left_ms(now) >= min(seconds * 1000, window.left_ms(now) + seconds * 1000)
    assert longer.closes_at == max(window.closes_at, now) + seconds * 1000


@given(windows, times)
def test_close_window_never_extends_and_keep_window_open_never_shortens(window: Window, now: int) -> None:
    closed, longer = close_window(window, now), keep_window_open(window, now)
    assert closed.left_ms(now) == 0
    assert closed.opens_at <= closed.closes_at <= window.closes_at
    assert longer.closes_at >= max(now, window.closes_at)
    assert longer.opens_at == window.opens_at
    assert keep_window_open(longer, now) == longer
    assert keep_window_open(window, window.closes_at) == window


@pytest.mark.parametrize(
    ("now_s", "reached_s", "complete", "until_s"),
    [
        (0, None, False, 10),
        (599, None, False, 609),
        (600, None, False, 600),
        (5, 5, False, 15),
        (14, 5, False, 17),
        (64, 5, False, 67),
        (65, 5, False, 15),
        (14, 5, True, 15),
        (400, 395, False, 405),
    ],
)
def test_restored_window_is_longer(now_s: int, reached_s: int | None, complete: bool, until_s: int) -> None:
    reached_at = None if reached_s is None else reached_s * 1000
    assert restored_until(now_s * 1000, 0, reached_at, complete=complete) == until_s * 1000


def test_is_stored_only_above_ten_minutes() -> None:
    assert STORED_FROM_MS == 600_000
    assert [is_stored(ms) for ms in (3_000, 600_000, 600_001)] == [False, False, True]

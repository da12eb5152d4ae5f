import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.play.chat import limits
from crowdgame.play.chat.limits import Limit, RateLimited, RecentMessage, exceeded_limit, lookback
from crowdgame.play.chat.models import LINE_LENGTH
from crowdgame.play.chat.posting import clean_message, limit_notice
from crowdgame.play.chat.rooms import ChatError

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=1)


def message(guest: int = 1, ago_s: float = 0, text: str = "", new: bool = False) -> RecentMessage:
    at = NOW - timedelta(seconds=ago_s)
    return RecentMessage(guest, at if new else LONG_AGO, text or f"number {ago_s} of {guest}", at)


BY_GUEST = [message(ago_s=4 * number) for number in range(1, limits.MAX_PER_GUEST + 1)]
BY_NEW_GUESTS = [message(100 + number, number / 2, new=True) for number in range(limits.MAX_BY_NEW_GUESTS)]
IN_ROOM = [message(100 + number, number / 3) for number in range(limits.MAX_PER_ROOM)]


@pytest.mark.parametrize(
    ("new", "before", "limit"),
    [
        (message(), BY_GUEST, Limit.GUEST),
        (message(), BY_GUEST[1:], None),
        (message(0), IN_ROOM, Limit.ROOM),
        (message(0), IN_ROOM[1:], None),
        (message(0, new=True), BY_NEW_GUESTS, Limit.NEW_GUESTS),
        (message(0), BY_NEW_GUESTS, None),
        (RecentMessage(0, NOW - limits.NEW_GUEST_PERIOD, "hello", NOW), BY_NEW_GUESTS, None),
        (message(text="??"), [message(ago_s=20, text="!")], None),
    ],
)
def test_messages_are_limited(new: RecentMessage, before: list[RecentMessage], limit: Limit | None) -> None:
    assert exceeded_limit(new, before, 2) == (RateLimited(limit) if limit else None)


def test_guest_waits_for_slow_mode_interval() -> None:
    before = [message(ago_s=40), message(ago_s=1.5)]
    assert exceeded_limit(message(), before, slow_s=2) == RateLimited(Limit.SLOW_MODE, 1)
    assert exceeded_limit(message(), before, slow_s=30) == RateLimited(Limit.SLOW_MODE, 28)
    assert exceeded_limit(message(2), before, slow_s=30) is None
    assert exceeded_limit(message(), [message(ago_s=2)], slow_s=2) is None
    assert (lookback(2), lookback(300)) == (timedelta(minutes=1), timedelta(minutes=5))


@pytest.mark.parametrize("again", ["Hello, you!", "hello   YOU", "h.e.l.l.o y o u"])
def test_repeated_text_is_refused_ignoring_case_and_punctuation(again: str) -> None:
    before = [message(ago_s=20, text="Hello, you!")]
    assert exceeded_limit(message(text=again), before, 2) == RateLimited(Limit.DUPLICATE)
    assert exceeded_limit(message(2, text=again), before, 2) is None


def test_every_limit_has_a_notice() -> None:
    assert all(limit_notice(RateLimited(limit, 28), 30).endswith(".") for limit in Limit)


@given(st.text(max_size=300))
def test_clean_text_returns_one_visible_line(typed: str) -> None:
    try:
        text = clean_message(typed)
    except ChatError:
        return
    assert 0 < len(text) <= LINE_LENGTH
    assert text == clean_message(text)
    assert "\n" not in text
    hidden = {char for char in text if unicodedata.category(char)[0] == "C"}
    assert hidden <= {"\u200c", "\u200d"}


@pytest.mark.parametrize("typed", ["", " \n ", "\u202e\u2066", "a" * (LINE_LENGTH + 1), "\u200b" * 900 + "a"])
def test_clean_text_rejects_empty_and_overlong_text(typed: str) -> None:
    assert clean_message("\u202egnp.exe\u2069 \u0007ok") == "gnp.exe ok"
    with pytest.raises(ChatError):
        clean_message(typed)

"""Chat rate limits, computed from recent messages, and cleaning of typed text."""

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.chat.limits import (
    MAX_BY_NEW_GUESTS,
    MAX_PER_GUEST,
    MAX_PER_ROOM,
    NEW_GUEST_PERIOD,
    RecentMessage,
    lookback,
    normalize_text,
    rate_limit_refusal,
)
from crowdgame.chat.models import LINE_LENGTH
from crowdgame.chat.posting import clean_message
from crowdgame.chat.rooms import ChatError

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=1)


def message(guest: int = 1, ago_s: float = 0, text: str = "", new: bool = False) -> RecentMessage:
    at = NOW - timedelta(seconds=ago_s)
    return RecentMessage(guest, at if new else LONG_AGO, text or f"number {ago_s} of {guest}", at)


def test_guest_waits_for_slow_mode_interval() -> None:
    before = [message(ago_s=1.5)]
    assert rate_limit_refusal(message(), before, slow_s=2) == "One message every 2 s. Wait 1 s."
    assert rate_limit_refusal(message(), before, slow_s=30) == "One message every 30 s. Wait 28 s."
    assert rate_limit_refusal(message(2), before, slow_s=30) == ""
    assert rate_limit_refusal(message(), [message(ago_s=2)], slow_s=2) == ""


@pytest.mark.parametrize("again", ["Hello, you!", "hello   YOU", "h.e.l.l.o y o u"])
def test_repeated_text_is_refused_ignoring_case_and_punctuation(again: str) -> None:
    assert (
        rate_limit_refusal(message(text=again), [message(ago_s=20, text="Hello, you!")], 2)
        == "You just posted that message."
    )
    assert rate_limit_refusal(message(2, text=again), [message(ago_s=20, text="Hello, you!")], 2) == ""


def test_punctuation_only_texts_are_distinct() -> None:
    assert normalize_text("?!") != normalize_text("!?")
    assert rate_limit_refusal(message(text="??"), [message(ago_s=20, text="!")], 2) == ""


def test_guest_is_limited_per_minute() -> None:
    before = [message(ago_s=4 * number) for number in range(1, MAX_PER_GUEST + 1)]
    assert "messages per minute" in rate_limit_refusal(message(), before, 2)
    assert rate_limit_refusal(message(), before[1:], 2) == ""


def test_new_guests_share_one_limit() -> None:
    before = [message(100 + number, number / 2, new=True) for number in range(MAX_BY_NEW_GUESTS)]
    assert "from new guests" in rate_limit_refusal(message(0, new=True), before, 2)
    assert rate_limit_refusal(message(0), before, 2) == ""
    assert rate_limit_refusal(RecentMessage(0, NOW - NEW_GUEST_PERIOD, "hello", NOW), before, 2) == ""


def test_room_is_limited_per_minute() -> None:
    before = [message(100 + number, number / 3) for number in range(MAX_PER_ROOM)]
    assert "Too many" in rate_limit_refusal(message(0), before, 2)
    assert rate_limit_refusal(message(0), before[1:], 2) == ""


def test_looked_back_covers_minute_and_slow_mode() -> None:
    assert lookback(2) == timedelta(minutes=1)
    assert lookback(300) == timedelta(minutes=5)


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


@pytest.mark.parametrize(
    "typed", ["", " \n ", "\u202e\u2066\u200b", "a" * (LINE_LENGTH + 1), "\u200b" * 900 + "a"]
)
def test_clean_text_rejects_empty_and_overlong_text(typed: str) -> None:
    with pytest.raises(ChatError):
        clean_message(typed)


def test_clean_text_strips_bidirectional_overrides() -> None:
    assert clean_message("\u202egnp.exe\u2069 \u0007ok") == "gnp.exe ok"

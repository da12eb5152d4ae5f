"""How much may be said, worked out from what was said lately; and what is left of what was typed."""

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.chat.limits import MOST, MOST_BY_NEW, MOST_BY_ONE, NEW_FOR, Said, folded, looked_back, why_not
from crowdgame.chat.models import LINE_LENGTH
from crowdgame.chat.posting import clean_text
from crowdgame.chat.rooms import ChatError

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=1)


def said(guest: int = 1, ago_s: float = 0, text: str = "", new: bool = False) -> Said:
    at = NOW - timedelta(seconds=ago_s)
    return Said(guest, at if new else LONG_AGO, text or f"number {ago_s} of {guest}", at)


def test_whoever_has_just_spoken_waits_and_others_do_not() -> None:
    before = [said(ago_s=1.5)]
    assert why_not(said(), before, slow_s=2) == "One message in 2 s: wait 1 s."
    assert why_not(said(), before, slow_s=30) == "One message in 30 s: wait 28 s."
    assert why_not(said(2), before, slow_s=30) == ""
    assert why_not(said(), [said(ago_s=2)], slow_s=2) == ""


@pytest.mark.parametrize("again", ["Hello, you!", "hello   YOU", "h.e.l.l.o y o u"])
def test_the_same_again_is_refused_however_it_is_written(again: str) -> None:
    assert why_not(said(text=again), [said(ago_s=20, text="Hello, you!")], 2) == "You have just said that."
    assert why_not(said(2, text=again), [said(ago_s=20, text="Hello, you!")], 2) == ""


def test_signs_alone_are_told_apart() -> None:
    assert folded("?!") != folded("!?")
    assert why_not(said(text="??"), [said(ago_s=20, text="!")], 2) == ""


def test_one_guest_has_so_many_a_minute() -> None:
    before = [said(ago_s=4 * number) for number in range(1, MOST_BY_ONE + 1)]
    assert "a minute are enough" in why_not(said(), before, 2)
    assert why_not(said(), before[1:], 2) == ""


def test_who_is_new_each_time_shares_what_the_new_may_say() -> None:
    before = [said(100 + number, number / 2, new=True) for number in range(MOST_BY_NEW)]
    assert "just come" in why_not(said(0, new=True), before, 2)
    assert why_not(said(0), before, 2) == ""
    assert why_not(Said(0, NOW - NEW_FOR, "hello", NOW), before, 2) == ""


def test_a_room_takes_so_many_a_minute() -> None:
    before = [said(100 + number, number / 3) for number in range(MOST)]
    assert "Too many" in why_not(said(0), before, 2)
    assert why_not(said(0), before[1:], 2) == ""


def test_what_may_matter_is_looked_at() -> None:
    assert looked_back(2) == timedelta(minutes=1)
    assert looked_back(300) == timedelta(minutes=5)


@given(st.text(max_size=300))
def test_what_is_kept_is_one_line_of_what_can_be_seen(typed: str) -> None:
    try:
        text = clean_text(typed)
    except ChatError:
        return
    assert 0 < len(text) <= LINE_LENGTH
    assert text == clean_text(text)
    assert "\n" not in text
    hidden = {char for char in text if unicodedata.category(char)[0] == "C"}
    assert hidden <= {"\u200c", "\u200d"}


@pytest.mark.parametrize(
    "typed", ["", " \n ", "\u202e\u2066\u200b", "a" * (LINE_LENGTH + 1), "\u200b" * 900 + "a"]
)
def test_nothing_and_too_much_are_refused(typed: str) -> None:
    with pytest.raises(ChatError):
        clean_text(typed)


def test_bidirectional_overrides_are_taken_out() -> None:
    assert clean_text("\u202egnp.exe\u2069 \u0007ok") == "gnp.exe ok"

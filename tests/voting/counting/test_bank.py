"""Time banks in place of a window: the time left, the end of a turn, and the sides out of time."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.game import SIDES, Side
from voting.counting.bank import BankTerms
from voting.terms import NoBallotRule

spans = st.integers(0, 2_592_000_000)
terms = st.builds(
    BankTerms, start_ms=spans, increment_ms=spans, cap_ms=st.none() | spans, time_loses=st.booleans()
)
lefts = st.fixed_dictionaries(dict.fromkeys(SIDES, spans))
pickers = st.sets(st.sampled_from(SIDES))
FIVE = BankTerms(300_000, 5_000)
LEFT: dict[Side, int] = {"red": 10_000, "yellow": 300_000}


def test_bank_terms_convert_seconds() -> None:
    from_seconds = BankTerms.from_seconds
    assert from_seconds(300, 2, None, NoBallotRule.FORFEIT) == BankTerms(
        300_000, 2_000, None, time_loses=True
    )
    assert from_seconds(300, 2, 60, NoBallotRule.PASS) == BankTerms(300_000, 2_000, 60_000, time_loses=False)


def test_bank_subtracts_used_time_and_adds_increment() -> None:
    assert FIVE.after_turn(300_000, 20_000) == 285_000
    assert FIVE.after_turn(3_000, 60_000) == 5_000
    assert replace(FIVE, cap_ms=10_000).after_turn(300_000, 60_000) == 295_000


@pytest.mark.parametrize(
    ("time_loses", "picked", "over"),
    [
        (True, [], 10_000),
        (True, ["red"], 300_000),
        (True, ["yellow"], 10_000),
        (True, ["red", "yellow"], 0),
        (False, [], 300_000),
        (False, ["red"], 300_000),
        (False, ["yellow"], 10_000),
        (False, ["red", "yellow"], 0),
    ],
)
def test_turn_ends_by_picks_and_time_rule(time_loses: bool, picked: list[Side], over: int) -> None:
    assert replace(FIVE, time_loses=time_loses).ends_after_ms(LEFT, picked) == over


def test_out_of_time_names_first_side_or_both_at_once_or_at_the_cap() -> None:
    assert FIVE.out_of_time(LEFT, [], 10_000) == ["red"]
    assert FIVE.out_of_time(LEFT, ["red"], 10_000) == []
    assert FIVE.out_of_time({"red": 9, "yellow": 9}, [], 9) == ["red", "yellow"]
    capped = replace(FIVE, cap_ms=4_000)
    assert capped.ends_after_ms(LEFT, []) == 4_000
    assert capped.out_of_time(LEFT, [], 4_000) == ["red", "yellow"]


@given(terms, spans, spans)
def test_after_turn_charges_at_most_the_usable_time(bank: BankTerms, left: int, used: int) -> None:
    after = bank.after_turn(left, used)
    assert left + bank.increment_ms >= after >= bank.increment_ms
    assert after == left + bank.increment_ms - min(used, bank.usable_ms(left))


@given(terms, lefts, pickers)
def test_out_of_time_is_empty_only_if_all_sides_picked(
    bank: BankTerms, left: dict[Side, int], picked: set[Side]
) -> None:
    over = bank.ends_after_ms(left, picked)
    out = bank.out_of_time(left, picked, over)
    assert bool(out) == (picked != set(SIDES))
    assert not set(out) & picked
    if not bank.time_loses:
        assert set(out) == set(SIDES) - picked
    assert bank.out_of_time(left, picked, over - 1) == [] or not bank.time_loses


@given(terms, lefts, pickers, st.sampled_from(SIDES))
def test_pick_never_ends_turn_before_other_side_is_done(
    bank: BankTerms, left: dict[Side, int], picked: set[Side], side: Side
) -> None:
    """If running out of time loses, a pick can only extend the turn to the other side's own time."""
    before, after = bank.ends_after_ms(left, picked), bank.ends_after_ms(left, picked | {side})
    waiting = [bank.usable_ms(left[other]) for other in SIDES if other not in picked | {side}]
    if waiting and bank.time_loses:
        assert after >= before
    assert after in (0, *waiting)

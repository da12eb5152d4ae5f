from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.game import SIDES, Side
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, new_event, play
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting import window as timing
from voting.counting.bank import BankTerms
from voting.counting.series import Series, current_series, series_starts
from voting.models import Event, Match
from voting.terms import NoBallotRule
from voting.turns.turns import start_match

spans = st.integers(0, 2_592_000_000)
terms = st.builds(
    BankTerms, start_ms=spans, increment_ms=spans, cap_ms=st.none() | spans, time_loses=st.booleans()
)
lefts = st.fixed_dictionaries(dict.fromkeys(SIDES, spans))
pickers = st.sets(st.sampled_from(SIDES))
FIVE = BankTerms(300_000, 5_000)
LEFT: dict[Side, int] = {"red": 10_000, "yellow": 300_000}
YELLOW_WINS = [(yellow, red) for red, yellow in RED_WINS]
winners = st.lists(st.sampled_from([1, 2, None]), max_size=40)
lengths = st.integers(1, 21)
WINDOW = timing.Window(opens_at=1_000, closes_at=21_000)
times = st.integers(0, 10**13)
windows = st.builds(lambda opens, span: timing.Window(opens, opens + span), times, spans)


def test_bank_converts_seconds_subtracts_used_time_and_adds_increment() -> None:
    from_seconds = BankTerms.from_seconds
    losing = BankTerms(300_000, 2_000, None, time_loses=True)
    assert from_seconds(300, 2, None, NoBallotRule.FORFEIT) == losing
    assert from_seconds(300, 2, 60, NoBallotRule.PASS) == BankTerms(300_000, 2_000, 60_000, time_loses=False)
    assert FIVE.after_turn(300_000, 20_000) == 285_000
    assert FIVE.after_turn(3_000, 60_000) == 5_000
    assert replace(FIVE, cap_ms=10_000).after_turn(300_000, 60_000) == 295_000
    assert replace(FIVE, cap_ms=400_000).after_turn(300_000, 500_000) == 5_000


@pytest.mark.parametrize(
    ("picked", "losing", "else_over"),
    [([], 10_000, 300_000), (["red"], 300_000, 300_000), (["yellow"], 10_000, 10_000), ([*SIDES], 0, 0)],
)
def test_turn_ends_by_picks_and_time_rule(picked: list[Side], losing: int, else_over: int) -> None:
    assert replace(FIVE, time_loses=True).ends_after_ms(LEFT, picked) == losing
    assert replace(FIVE, time_loses=False).ends_after_ms(LEFT, picked) == else_over


def test_out_of_time_names_first_side_or_both_at_once_or_at_the_cap() -> None:
    assert FIVE.out_of_time(LEFT, [], 10_000) == ["red"]
    assert FIVE.out_of_time(LEFT, ["red"], 10_000) == []
    assert FIVE.out_of_time({"red": 9, "yellow": 9}, [], 9) == ["red", "yellow"]
    capped = replace(FIVE, cap_ms=4_000)
    assert capped.ends_after_ms(LEFT, []) == 4_000
    assert capped.out_of_time(LEFT, [], 4_000) == ["red", "yellow"]


@given(terms, lefts, pickers)
def test_side_that_picked_is_in_time(bank: BankTerms, left: dict[Side, int], picked: set[Side]) -> None:
    over = bank.ends_after_ms(left, picked)
    out = bank.out_of_time(left, picked, over)
    assert bool(out) == (picked != set(SIDES))
    assert not set(out) & picked
    if not bank.time_loses:
        assert set(out) == set(SIDES) - picked
    assert bank.out_of_time(left, picked, over - 1) == [] or not bank.time_loses


@given(terms, lefts, pickers, st.sampled_from(SIDES))
def test_pick_extends_turn(bank: BankTerms, left: dict[Side, int], picked: set[Side], side: Side) -> None:
    """If running out of time loses, a pick can only extend the turn to the other side's own time."""
    before, after = bank.ends_after_ms(left, picked), bank.ends_after_ms(left, picked | {side})
    waiting = [bank.usable_ms(left[other]) for other in SIDES if other not in picked | {side}]
    if waiting and bank.time_loses:
        assert after >= before
    assert after in (0, *waiting)


@given(winners, lengths)
def test_series_ends_with_first_decisive_win(ended: list[int | None], best_of: int) -> None:
    """Splitting the history into series from the beginning, the last piece is the current one."""
    piece: list[int | None] = []
    for winner in ended:
        if any(piece.count(team) * 2 > best_of for team in (1, 2)):
            piece = []
        piece.append(winner)
    won = (piece.count(1), piece.count(2))
    decided = [team for team in (1, 2) if won[team - 1] * 2 > best_of]
    assert current_series(ended, best_of) == Series(won, decided[0] if decided else None)
    assert current_series(ended, None) == Series((ended.count(1), ended.count(2)), None), "never ends"


@given(winners, lengths)
def test_series_starts_split_history_without_changing_score(ended: list[int | None], best_of: int) -> None:
    starts = series_starts(ended, best_of)
    assert starts[0] == 0
    assert all(current_series(ended[first:], best_of) == current_series(ended, best_of) for first in starts)
    assert all(current_series(ended[:first], best_of).winner for first in starts[1:])
    for first, end in pairwise([*starts, len(ended)]):
        assert not any(current_series(ended[first:at], best_of).winner for at in range(first, end))


def play_next_match(event: Event, box: BallotBox, picks: list[tuple[int, int]]) -> int | None:
    play(start_match(event.pk, box), box, picks)
    event.refresh_from_db()
    return event.next_match_at


@pytest.mark.django_db
def test_next_match_is_scheduled_until_series_is_decided(box: BallotBox) -> None:
    event, endless = new_event(best_of=3, next_match_after_s=30), new_event(next_match_after_s=30)
    wins = (RED_WINS, YELLOW_WINS, RED_WINS, YELLOW_WINS, YELLOW_WINS)
    scheduled = [play_next_match(event, box, picks) is not None for picks in wins]
    assert scheduled == [True, True, False, True, False], "a new series starts with the fourth match"
    assert all(play_next_match(endless, box, RED_WINS) for _ in range(2))
    tried = new_event(best_of=3, next_match_after_s=30)
    rehearsed = start_match(tried.pk, box)
    tried.matches.update(rehearsed=True)
    play(rehearsed, box, RED_WINS)
    tried.refresh_from_db()
    assert (tried.next_match_at, load_snapshot(tried).finished) == (None, ()), "it counts for nothing"
    assert play_next_match(tried, box, RED_WINS), "the series begins after the rehearsal"
    assert [match.number for match in load_snapshot(tried).finished] == [2]
    press(event.pk, "turn.void", box)
    match = Match.objects.get(event=event, number=5)
    play(match, box, [(4, 7), (5, 7)])
    match.refresh_from_db()
    event.refresh_from_db()
    assert (match.result, event.next_match_at is None) == ("red", False), "the series is open again"


def test_window_opens_after_talk_and_is_stored_above_ten_minutes() -> None:
    assert timing.open_window(8_000, 20) == timing.Window(8_000, 28_000)
    assert timing.open_window(8_000, 20, 60) == timing.Window(68_000, 88_000)
    lefts = {0: 20_000, 1_000: 20_000, 1_001: 19_999, 20_999: 1, 21_000: 0, 99_000: 0}
    assert {now: WINDOW.left_ms(now) for now in lefts} == lefts
    talk = {-5_000: 2_000, -500: 1_500, 1_000: 0, 9_000: 0}
    assert {now: timing.talk_left_ms(WINDOW, now, 2_000) for now in talk} == talk
    assert timing.shift_window(WINDOW, 500) == timing.Window(1_500, 21_500)
    assert timing.STORED_FROM_MS == 600_000
    assert [timing.is_stored(ms) for ms in (3_000, 600_000, 600_001)] == [False, False, True]


@given(windows, times)
def test_resume_window_keeps_remaining_time(window: timing.Window, now: int) -> None:
    later = now + 60_000
    resumed = timing.resume_window(later, window.left_ms(now))
    assert resumed.left_ms(later) == window.left_ms(now)
    assert resumed.opens_at == later + timing.RESUME_LEAD_MS


@given(windows, times, st.integers(1, 600))
def test_extend_window_adds_at_least_its_seconds(window: timing.Window, now: int, seconds: int) -> None:
    longer = timing.extend_window(window, now, seconds)
    assert longer.opens_at == window.opens_at
    assert longer.left_ms(now) >= min(seconds * 1000, window.left_ms(now) + seconds * 1000)
    assert longer.closes_at == max(window.closes_at, now) + seconds * 1000


@given(windows, times)
def test_close_window_never_extends_and_keep_open_never_shortens(window: timing.Window, now: int) -> None:
    closed, longer = timing.close_window(window, now), timing.keep_window_open(window, now)
    assert closed.left_ms(now) == 0
    assert closed.opens_at <= closed.closes_at <= window.closes_at
    assert longer.closes_at >= max(now, window.closes_at)
    assert longer.opens_at == window.opens_at
    assert timing.keep_window_open(longer, now) == longer
    assert timing.keep_window_open(window, window.closes_at) == window


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
    assert timing.restored_until(now_s * 1000, 0, reached_at, complete=complete) == until_s * 1000

"""Ratings computed from a list of matches: winners gain, and only the order matters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.play.ratings.rating_ledger import (
    DAY_MS,
    FIRST_SIGMA,
    SETTLED_SIGMA,
    START,
    FinishedMatch,
    RatingLedger,
    is_settled,
)

GAME = "trails"
RESULTS = st.sampled_from(["red", "yellow", "draw"])
PAIRS = st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda pair: pair[0] != pair[1])
MATCH_LISTS = st.lists(st.tuples(PAIRS, RESULTS), max_size=40)


def finished(number: int, pair: tuple[int, int], result: str, at: int | None = None) -> FinishedMatch:
    return FinishedMatch(number, GAME, *pair, result, number if at is None else at)


def numbered(matches: list[tuple[tuple[int, int], str]]) -> list[FinishedMatch]:
    return [finished(number, pair, result) for number, (pair, result) in enumerate(matches, 1)]


def mus(ledger: RatingLedger) -> dict[int, float]:
    return {player: player_rating.skill.mu for player, player_rating in ledger.player_ratings.items()}


@given(MATCH_LISTS)
def test_ledger_is_deterministic_and_independent_of_side(matches: list[tuple[tuple[int, int], str]]) -> None:
    one, two, mirrored = RatingLedger(), RatingLedger(), RatingLedger()
    changes = [[ledger.rate(match) for match in numbered(matches)] for ledger in (one, two)]
    assert changes[0] == changes[1]
    assert mus(one) == mus(two)
    other_side = {"red": "yellow", "yellow": "red", "draw": "draw"}
    for match in numbered([((pair[1], pair[0]), other_side[result]) for pair, result in matches]):
        mirrored.rate(match)
    assert mus(mirrored) == pytest.approx(mus(one))


@given(MATCH_LISTS, RESULTS)
def test_winner_gains_and_loser_loses_rating(matches: list[tuple[tuple[int, int], str]], result: str) -> None:
    ledger = RatingLedger()
    for match in numbered(matches):
        ledger.rate(match)
    change = ledger.rate(finished(99, (1, 2), result))
    assert change
    red, yellow = change.red_after - change.red_before, change.yellow_after - change.yellow_before
    if result == "draw":
        assert (red if change.red_before < change.yellow_before else yellow) >= 0, "the weaker player"
    else:
        assert ((red > 0), (yellow > 0)) == (result == "red", result == "yellow")


def test_rating_starts_at_1200_and_settles_after_games() -> None:
    ledger = RatingLedger()
    first = ledger.rate(finished(1, (1, 2), "red"))
    assert first
    assert (first.red_before, first.yellow_before) == (START, START) == (1200, 1200)
    assert first.red_after - START == pytest.approx(START - first.yellow_after)
    assert 50 < first.red_after - START < 100
    settled = 1
    while not is_settled(ledger.player_ratings[1].skill.sigma):
        settled += 1
        ledger.rate(finished(settled, (1, 2), "red" if settled % 2 else "yellow"))
    assert 10 <= settled <= 20
    assert FIRST_SIGMA > SETTLED_SIGMA


def test_rating_gap_of_400_means_ten_to_one() -> None:
    """A player who wins ten of eleven matches ends about 400 points higher."""
    ledger = RatingLedger()
    for number in range(1, 1101):
        ledger.rate(finished(number, (1, 2), "yellow" if number % 11 == 0 else "red"))
    assert 330 < mus(ledger)[1] - mus(ledger)[2] < 430


def test_pair_is_rated_limited_times_a_day() -> None:
    ledger = RatingLedger(max_per_day=2)
    changes = [
        ledger.rate(finished(at, pair, "red", at)) for at, pair in enumerate([(1, 2), (2, 1), (1, 2), (1, 3)])
    ]
    assert [change is not None for change in changes] == [True, True, False, True]
    assert ledger.player_ratings[1].games == 3
    assert ledger.rate(finished(9, (1, 2), "red", DAY_MS))

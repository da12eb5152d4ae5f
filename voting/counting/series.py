"""A series of matches: its score, and whether it is decided.

A team wins the series with more than half of its matches; draws count for no team.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """Matches `won` by teams 1 and 2. `winner` is the team that has won the series, None while it is open."""

    won: tuple[int, int] = (0, 0)
    winner: int | None = None


def winning_team(result: str | None, red: int, yellow: int) -> int | None:
    """Return the number of the team that won a match, None after a draw."""
    return {"red": red, "yellow": yellow}.get(str(result))


def current_series(winners: Iterable[int | None], best_of: int | None) -> Series:
    """Return the series of the last match. The match after a decided series begins the next one.

    `winners` are the winners of all finished matches, oldest first, None for a draw.
    """
    series = Series()
    for winner in winners:
        series = _add_result(Series() if series.winner else series, winner, best_of)
    return series


def _add_result(series: Series, winner: int | None, best_of: int | None) -> Series:
    if winner is None:
        return series
    one, two = series.won
    won = (one + 1, two) if winner == 1 else (one, two + 1)
    decided = best_of is not None and max(won) > best_of / 2
    return Series(won, winner if decided else None)


def series_starts(winners: Sequence[int | None], best_of: int | None) -> list[int]:
    """Return the indexes in `winners` at which a series begins; the first is 0."""
    begins, series = [0], Series()
    for place, winner in enumerate(winners):
        if series.winner:
            begins.append(place)
            series = Series()
        series = _add_result(series, winner, best_of)
    return begins

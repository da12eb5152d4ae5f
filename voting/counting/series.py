"""A series of matches: how it stands, and whether it is decided.

Whoever wins more than half of its matches wins the series; draws count for nobody.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """Matches `won` by team 1 and team 2; `winner` is the team that has decided it, None while it goes on."""

    won: tuple[int, int] = (0, 0)
    winner: int | None = None


def winning_team(result: str | None, red: int, yellow: int) -> int | None:
    """Its number; None after a draw."""
    return {"red": red, "yellow": yellow}.get(str(result))


def current_series(winners: Iterable[int | None], best_of: int | None) -> Series:
    """Of the series that the last match belongs to: the match after a decided one begins another.

    `winners` are those of all finished matches, oldest first, None for a draw.
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
    """The places in `winners` at which a series begins; the first is 0."""
    begins, series = [0], Series()
    for place, winner in enumerate(winners):
        if series.winner:
            begins.append(place)
            series = Series()
        series = _add_result(series, winner, best_of)
    return begins

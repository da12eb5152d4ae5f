"""A line of a ratings table."""

from dataclasses import dataclass
from datetime import UTC, datetime

from crowdgame.ratings.rating_ledger import is_settled


@dataclass(frozen=True, slots=True)
class RatingRow:
    """`sure`: the rating is no guess any more. Who has the same rating shares the place."""

    place: int
    name: str
    rating: int
    sure: bool
    games: int
    last: datetime
    mine: bool = False


def build_rating_row(
    place: int, name: str, strength: tuple[float, float], games: int, last_at: int
) -> RatingRow:
    mu, sigma = strength
    return RatingRow(
        place, name, round(mu), is_settled(sigma), games, datetime.fromtimestamp(last_at / 1000, UTC)
    )

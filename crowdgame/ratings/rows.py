"""A row of a ratings table."""

from dataclasses import dataclass
from datetime import UTC, datetime

from crowdgame.ratings.rating_ledger import is_settled


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A row of a ratings table. `sure`: the rating is settled. Equal ratings share a `place`.

    `last` is when the last rated match ended, in UTC. `mine` marks the viewer's row.
    """

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
    """Build a row. `strength` is mu and sigma, `last_at` is in ms since 1970."""
    mu, sigma = strength
    return RatingRow(
        place, name, round(mu), is_settled(sigma), games, datetime.fromtimestamp(last_at / 1000, UTC)
    )

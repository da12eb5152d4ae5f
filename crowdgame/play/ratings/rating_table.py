"""Rating tables of duels, one per game, the strongest guest first."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.core.paginator import Page, Paginator
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import DEFAULT_GAME
from crowdgame.play.ratings.models import Rating
from crowdgame.play.ratings.rating_ledger import is_settled
from games.engine.registry import game_title

PAGE_SIZE = 25


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


def load_table_page(game: str, number: str | None, query: str, guest: Guest | None) -> Page[RatingRow]:
    """Return a page of the table; an invalid `number` gives the nearest page.

    `query` filters by the first digits of the guest's number. The rows of `guest` are marked.
    """
    found = _with_place(game)
    if query:
        digits = "".join(char for char in query if char.isdecimal())
        found = found.filter(guest__number__startswith=digits) if digits else found.none()
    page = Paginator(found.order_by("-mu", "guest"), PAGE_SIZE).get_page(number)
    rows = [_build_row(rating, guest) for rating in page.object_list]
    return Page(rows, page.number, page.paginator)  # type: ignore[arg-type]


def load_guest_row(guest: Guest, game: str) -> RatingRow | None:
    rating = _with_place(game).filter(guest=guest).first()
    return _build_row(rating, guest) if rating else None


def list_rated_games() -> list[tuple[str, str]]:
    """Return slug and title of the games with a table, the default game first and always."""
    slugs = {DEFAULT_GAME, *Rating.objects.order_by().values_list("game", flat=True).distinct()}
    return sorted(
        ((slug, gettext(game_title(slug))) for slug in slugs),
        key=lambda game: (game[0] != DEFAULT_GAME, game[1]),
    )


def _with_place(game: str) -> QuerySet[Rating]:
    stronger = Rating.objects.filter(game=game, mu__gt=OuterRef("mu")).order_by().values("game")
    place = Coalesce(Subquery(stronger.annotate(count=Count("pk")).values("count")), 0) + 1
    return Rating.objects.filter(game=game).select_related("guest").annotate(place=place)


def _build_row(rating: Rating, guest: Guest | None) -> RatingRow:
    place: int = rating.place  # type: ignore[attr-defined]
    line = build_rating_row(place, str(rating.guest), (rating.mu, rating.sigma), rating.games, rating.last_at)
    return replace(line, mine=rating.guest == guest)

"""Ratings of an organizer's teams over all their events and cups. Computed on each request, not stored.

Teams with the same name are the same team. Aborted matches, dry runs and matches against the computer do not
count.
"""

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext

from crowdgame.play.ratings.rating_ledger import FinishedMatch, RatingLedger
from crowdgame.play.ratings.rating_table import RatingRow, build_rating_row
from games.engine.registry import game_title
from voting.models import Match
from voting.terms import MatchState

COLUMNS = ("pk", "red__name", "yellow__name", "result", "ended_at")


def rank_teams(owner: User, game: str) -> list[RatingRow]:
    """Return the rating table of a game, the strongest team first.

    A match between two teams of the same name is not rated.
    """
    names: dict[str, str] = {}
    ledger = RatingLedger()
    for played in _played(owner, game, names):
        ledger.rate(played)
    shown = dict(enumerate(names.values()))
    in_order = sorted(ledger.player_ratings.items(), key=lambda one: (-one[1].skill.mu, shown[one[0]]))
    mus = [player_rating.skill.mu for _, player_rating in in_order]
    return [
        build_rating_row(
            mus.index(one.skill.mu) + 1, shown[team], (one.skill.mu, one.skill.sigma), one.games, one.last_at
        )
        for team, one in in_order
    ]


def list_played_games(owner: User) -> list[tuple[str, str]]:
    """Return slug and title of the games in which a match of this organizer counts, sorted by title."""
    slugs = _counting_matches(owner).order_by().values_list("game", flat=True).distinct()
    return sorted(((slug, gettext(game_title(slug))) for slug in slugs), key=lambda game: game[1])


def _counting_matches(owner: User) -> QuerySet[Match]:
    return Match.objects.filter(
        event__owner=owner, state=MatchState.ENDED, rehearsed=False, bots__isnull=True
    )


def _played(owner: User, game: str, names: dict[str, str]) -> Iterator[FinishedMatch]:
    """Yield the matches that count, with teams as indices into `names`.

    Fills `names`: the comparison key of each team's name, mapped to its latest spelling.
    """
    places: dict[str, int] = {}
    ended = _counting_matches(owner).filter(game=game)
    for pk, red, yellow, result, ended_at in ended.order_by("ended_at", "pk").values_list(*COLUMNS):
        keys = [" ".join(name.split()).casefold() for name in (red, yellow)]
        if keys[0] == keys[1]:
            continue
        names |= dict(zip(keys, (red, yellow), strict=True))
        one, two = (places.setdefault(key, len(places)) for key in keys)
        yield FinishedMatch(pk, game, one, two, result, ended_at)

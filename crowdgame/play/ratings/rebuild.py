"""Recompute all ratings of a game from its matches alone."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction

from crowdgame.accounts.models import Guest
from crowdgame.play.ratings.match_ratings import (
    MAX_RATED_PER_DAY,
    build_rated_match,
    build_ratings,
    rateable_matches,
    read_finished_matches,
)
from crowdgame.play.ratings.models import RatedMatch, Rating
from crowdgame.play.ratings.rating_ledger import RatingChange, RatingLedger
from voting.models import Match

BATCH_SIZE = 2_000
PROGRESS_EVERY = 10_000

OnProgress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """The result of a rebuild. `differs`: the stored ratings were others. `rated` of the `matches` count."""

    game: str
    matches: int
    rated: int
    players: int
    differs: bool


def list_rated_games() -> list[str]:
    """Return the slugs of all games that have duel matches or ratings, sorted."""
    finished = Match.objects.filter(event__duel__isnull=False).values_list("game", flat=True)
    return sorted({*finished.distinct(), *Rating.objects.values_list("game", flat=True).distinct()})


def rebuild(game: str, *, write: bool = True, on_progress: OnProgress = lambda _: None) -> RebuildResult:
    """Recompute the ratings of a game, and replace the stored ones if they differ and `write` is set.

    Locks all guests, so that no match of two guests ends meanwhile.
    """
    with transaction.atomic():
        for _ in Guest.objects.select_for_update(no_key=True).order_by("pk").values_list("pk").iterator():
            pass
        ledger, changes, matches = compute_ratings(game, on_progress)
        ratings = build_ratings(ledger, game)
        differs = _differs(game, ratings, changes)
        if differs and write:
            _replace_ratings(game, ratings, changes)
    return RebuildResult(game, matches, len(changes), len(ratings), differs)


def compute_ratings(
    game: str, on_progress: OnProgress = lambda _: None
) -> tuple[RatingLedger, dict[int, RatingChange], int]:
    """Return the ledger after all matches of a game, the change by each rated match, and their number.

    The number includes matches that do not count.
    """
    ledger, changes, matches = RatingLedger(MAX_RATED_PER_DAY), {}, 0
    for matches, finished in enumerate(read_finished_matches(rateable_matches(game=game)), 1):
        if change := ledger.rate(finished):
            changes[finished.match] = change
        if matches % PROGRESS_EVERY == 0:
            on_progress(matches)
    return ledger, changes, matches


def _differs(game: str, ratings: list[Rating], changes: dict[int, RatingChange]) -> bool:
    rows = Rating.objects.filter(game=game).values_list("guest", "mu", "sigma", "games", "last_at")
    if set(rows) != {(one.guest_id, one.mu, one.sigma, one.games, one.last_at) for one in ratings}:
        return True
    columns = ("match", "red_before", "red_after", "yellow_before", "yellow_after")
    stored = RatedMatch.objects.filter(match__game=game).values_list(*columns)
    agree = [changes.get(match) == RatingChange(*values) for match, *values in stored.iterator(BATCH_SIZE)]
    return len(agree) != len(changes) or not all(agree)


def _replace_ratings(game: str, ratings: list[Rating], changes: dict[int, RatingChange]) -> None:
    RatedMatch.objects.filter(match__game=game).delete()
    Rating.objects.filter(game=game).delete()
    Rating.objects.bulk_create(ratings, BATCH_SIZE)
    RatedMatch.objects.bulk_create(
        [build_rated_match(match, change) for match, change in changes.items()], BATCH_SIZE
    )

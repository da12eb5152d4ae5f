"""All ratings anew, from the matches alone."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction

from crowdgame.accounts.models import Guest
from crowdgame.ratings.ledger import Change, Ledger
from crowdgame.ratings.matches import MOST_A_DAY, ratable, rated_row, ratings_of, read_played
from crowdgame.ratings.models import RatedMatch, Rating
from games.models import Match

AT_ONCE = 2_000
A_STEP = 10_000

Said = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """`differs`: what stood there was something else. Of the `matches` some count for nobody."""

    game: str
    matches: int
    rated: int
    players: int
    differs: bool


def games_rated() -> list[str]:
    played = Match.objects.filter(event__duel__isnull=False).values_list("game", flat=True)
    return sorted({*played.distinct(), *Rating.objects.values_list("game", flat=True).distinct()})


def rebuild(game: str, *, write: bool = True, say: Said = lambda _: None) -> Rebuilt:
    """No match of two guests ends meanwhile, so that none is missing."""
    with transaction.atomic():
        for _ in Guest.objects.select_for_update(no_key=True).order_by("pk").values_list("pk").iterator():
            pass
        ledger, changes, matches = work_out(game, say)
        ratings = ratings_of(ledger, game)
        differs = _differs(game, ratings, changes)
        if differs and write:
            _replace(game, ratings, changes)
    return Rebuilt(game, matches, len(changes), len(ratings), differs)


def work_out(game: str, say: Said = lambda _: None) -> tuple[Ledger, dict[int, Change], int]:
    """What all matches of a game come to, the change of each that counts, and how many there are."""
    ledger, changes, matches = Ledger(MOST_A_DAY), {}, 0
    for matches, played in enumerate(read_played(ratable(game=game)), 1):
        if change := ledger.rate(played):
            changes[played.match] = change
        if matches % A_STEP == 0:
            say(matches)
    return ledger, changes, matches


def _differs(game: str, ratings: list[Rating], changes: dict[int, Change]) -> bool:
    rows = Rating.objects.filter(game=game).values_list("guest", "mu", "sigma", "games", "last_at")
    if set(rows) != {(one.guest_id, one.mu, one.sigma, one.games, one.last_at) for one in ratings}:
        return True
    columns = ("match", "red_before", "red_after", "yellow_before", "yellow_after")
    stored = RatedMatch.objects.filter(match__game=game).values_list(*columns)
    agree = [changes.get(match) == Change(*told) for match, *told in stored.iterator(AT_ONCE)]
    return len(agree) != len(changes) or not all(agree)


def _replace(game: str, ratings: list[Rating], changes: dict[int, Change]) -> None:
    RatedMatch.objects.filter(match__game=game).delete()
    Rating.objects.filter(game=game).delete()
    Rating.objects.bulk_create(ratings, AT_ONCE)
    RatedMatch.objects.bulk_create([rated_row(match, change) for match, change in changes.items()], AT_ONCE)

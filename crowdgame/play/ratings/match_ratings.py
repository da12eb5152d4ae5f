"""Rate duel matches: which ones count, and rating a match in the transaction that ends it."""

from collections.abc import Iterator
from typing import Any

import msgspec
from django.db.models import Exists, OuterRef, QuerySet
from msgspec.structs import asdict

from crowdgame.accounts.models import Guest
from crowdgame.play.ratings.models import RatedMatch, Rating
from crowdgame.play.ratings.rating_ledger import (
    DAY_MS,
    FinishedMatch,
    PlayerRating,
    RatingChange,
    RatingLedger,
    meeting_key,
    skill,
)
from voting.models import Match, Turn, TurnState
from voting.terms import MatchState

MAX_RATED_PER_DAY = 10
ITERATOR_CHUNK = 5_000
COLUMNS = ("pk", "game", "event__duel__one", "event__duel__two", "red__number", "result", "ended_at")


def rateable_matches(**which: Any) -> QuerySet[Match]:
    """Return finished duel matches that count, by the time at which they ended. `which` are more filters.

    Both players have moved: one who loses on time before that may never have been there.
    """
    played = Turn.objects.filter(state=TurnState.RESOLVED, match=OuterRef("pk"))
    both = (Exists(played.filter(red_pick__isnull=False)), Exists(played.filter(yellow_pick__isnull=False)))
    seats = {"event__duel__one__isnull": False, "event__duel__two__isnull": False}
    ended = Match.objects.filter(*both, state=MatchState.ENDED, event__duel__casual=False, **seats, **which)
    return ended.order_by("ended_at", "pk")


def read_finished_matches(matches: QuerySet[Match]) -> Iterator[FinishedMatch]:
    for pk, game, one, two, red, result, ended_at in matches.values_list(*COLUMNS).iterator(ITERATOR_CHUNK):
        players = (one, two) if red == 1 else (two, one)
        yield FinishedMatch(pk, game, *players, result, ended_at)


def rate_match(match: Match, **_: Any) -> None:
    """Rate a match, at most once. A receiver of `match_ended`: runs in the transaction that ends the match.

    Moves `ended_at` after the last rated match of both players: a rebuild must read them in the same order.
    """
    found = next(read_finished_matches(rateable_matches(pk=match.pk)), None)
    if found is None:
        return
    ledger = _load_ledger(found)
    finished = _end_after_others(match, found, ledger)
    ledger.meetings[meeting_key(finished)] = _count_meetings(finished)
    change = ledger.rate(finished)
    if change is None:
        return
    build_rated_match(match.pk, change).save(force_insert=True)
    for rating in build_ratings(ledger, finished.game):
        _save_rating(rating)


def _end_after_others(match: Match, finished: FinishedMatch, ledger: RatingLedger) -> FinishedMatch:
    last_at = max((player_rating.last_at for player_rating in ledger.player_ratings.values()), default=0)
    if finished.ended_at > last_at:
        return finished
    match.ended_at = last_at + 1
    match.save(update_fields=["ended_at"])
    return msgspec.structs.replace(finished, ended_at=match.ended_at)


def _load_ledger(finished: FinishedMatch) -> RatingLedger:
    """Load both players' ratings, and lock their guests until the transaction ends."""
    players = (finished.red, finished.yellow)
    list(Guest.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk"))
    known = Rating.objects.filter(game=finished.game, guest__in=players)
    player_ratings = {
        row.guest_id: PlayerRating(skill(row.mu, row.sigma), row.games, row.last_at) for row in known
    }
    return RatingLedger(MAX_RATED_PER_DAY, player_ratings)


def _count_meetings(finished: FinishedMatch) -> int:
    day = finished.ended_at // DAY_MS * DAY_MS
    players = (finished.red, finished.yellow)
    that_day = RatedMatch.objects.filter(
        match__game=finished.game, match__ended_at__gte=day, match__ended_at__lt=day + DAY_MS
    )
    return that_day.filter(match__event__duel__one__in=players, match__event__duel__two__in=players).count()


def build_rated_match(match: int, change: RatingChange) -> RatedMatch:
    return RatedMatch(match_id=match, **asdict(change))


def build_ratings(ledger: RatingLedger, game: str) -> list[Rating]:
    return [
        Rating(
            guest_id=guest,
            game=game,
            mu=player_rating.skill.mu,
            sigma=player_rating.skill.sigma,
            games=player_rating.games,
            last_at=player_rating.last_at,
        )
        for guest, player_rating in ledger.player_ratings.items()
    ]


def _save_rating(rating: Rating) -> None:
    fields = {name: getattr(rating, name) for name in ("mu", "sigma", "games", "last_at")}
    Rating.objects.update_or_create(guest_id=rating.guest_id, game=rating.game, defaults=fields)

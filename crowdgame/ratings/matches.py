"""The hall's matches as the ratings read them, and rating one in the transaction that ends it."""

from collections.abc import Iterator
from typing import Any

import msgspec
from django.db.models import Exists, OuterRef, Q, QuerySet

from crowdgame.accounts.models import Guest
from crowdgame.ratings.ledger import DAY_MS, Change, Ledger, Played, Standing, meeting_of, skill
from crowdgame.ratings.models import RatedMatch, Rating
from games.models import Match, MatchState, Turn, TurnState

# Whoever loses on time in the first turn was perhaps never there.
LEAST_TURNS = 2
MOST_A_DAY = 10
ROWS_AT_ONCE = 5_000
COLUMNS = ("pk", "game", "event__duel__one", "event__duel__two", "red__number", "result", "ended_at")


def ratable(**which: Any) -> QuerySet[Match]:
    """Matches of duels that came to a result, in the order in which they ended."""
    # Of a match that is over, what is not void is resolved; said like this, there is an index for it.
    enough = Turn.objects.filter(~Q(state=TurnState.VOID), match=OuterRef("pk"), number=LEAST_TURNS)
    seats = {"event__duel__one__isnull": False, "event__duel__two__isnull": False}
    ended = Match.objects.filter(Exists(enough), state=MatchState.ENDED, **seats, **which)
    return ended.order_by("ended_at", "pk")


def read_played(matches: QuerySet[Match]) -> Iterator[Played]:
    for pk, game, one, two, red, result, ended_at in matches.values_list(*COLUMNS).iterator(ROWS_AT_ONCE):
        players = (one, two) if red == 1 else (two, one)
        yield Played(pk, game, *players, result, ended_at)


def rate_match(match: Match, **_: Any) -> None:
    """Call it in the transaction that ended the match: with its result it is rated, once, or not at all.

    It ended later than any other of its players' did: that is the order in which all are rated anew.
    """
    found = next(read_played(ratable(pk=match.pk)), None)
    if found is None:
        return
    ledger = _ledger_of(found)
    played = _after_all_others(match, found, ledger)
    ledger.meetings[meeting_of(played)] = _count_meetings(played)
    change = ledger.rate(played)
    if change is None:
        return
    rated_row(match.pk, change).save(force_insert=True)
    for rating in ratings_of(ledger, played.game):
        _write(rating)


def _after_all_others(match: Match, played: Played, ledger: Ledger) -> Played:
    last_at = max((standing.last_at for standing in ledger.standings.values()), default=0)
    if played.ended_at > last_at:
        return played
    match.ended_at = last_at + 1
    match.save(update_fields=["ended_at"])
    return msgspec.structs.replace(played, ended_at=match.ended_at)


def _ledger_of(played: Played) -> Ledger:
    """What is known of the two, whose rows nobody else writes until this transaction ends."""
    players = (played.red, played.yellow)
    list(Guest.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk"))
    known = Rating.objects.filter(game=played.game, guest__in=players)
    standings = {row.guest_id: Standing(skill(row.mu, row.sigma), row.games, row.last_at) for row in known}
    return Ledger(MOST_A_DAY, standings)


def _count_meetings(played: Played) -> int:
    day = played.ended_at // DAY_MS * DAY_MS
    players = (played.red, played.yellow)
    that_day = RatedMatch.objects.filter(
        match__game=played.game, match__ended_at__gte=day, match__ended_at__lt=day + DAY_MS
    )
    return that_day.filter(match__event__duel__one__in=players, match__event__duel__two__in=players).count()


def rated_row(match: int, change: Change) -> RatedMatch:
    return RatedMatch(
        match_id=match,
        red_before=change.red_before,
        red_after=change.red_after,
        yellow_before=change.yellow_before,
        yellow_after=change.yellow_after,
    )


def ratings_of(ledger: Ledger, game: str) -> list[Rating]:
    return [
        Rating(
            guest_id=guest,
            game=game,
            mu=standing.skill.mu,
            sigma=standing.skill.sigma,
            games=standing.games,
            last_at=standing.last_at,
        )
        for guest, standing in ledger.standings.items()
    ]


def _write(rating: Rating) -> None:
    fields = {name: getattr(rating, name) for name in ("mu", "sigma", "games", "last_at")}
    Rating.objects.update_or_create(guest_id=rating.guest_id, game=rating.game, defaults=fields)

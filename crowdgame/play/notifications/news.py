"""News of a long game for an absent player: offers and their answers, and how the game ended.

Stored in the transaction of what happened. Someone who is at the board when they are due receives none.
"""

from datetime import timedelta
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from crowdgame.play.duels.duel_news import DuelNews
from crowdgame.play.duels.lists import players_by_side
from crowdgame.play.duels.models import Duel
from crowdgame.play.notifications.models import EmailAddress, EmailNotification
from games.engine.game import SIDES, Side, other_side
from voting.models import Match, Turn, TurnState
from voting.terms import Ending

LONG_WINDOW_MS = 3600 * 1000  # minimum time left: with less, a mail comes too late
GRACE_PERIOD = timedelta(minutes=3)  # skips players who are at the board and act at once
MAX_NEWS_PER_DAY = 20
DAY_S = 24 * 3600
OFFERS = {DuelNews.DRAW_OFFERED: "draw", DuelNews.TAKEBACK_OFFERED: "takeback"}


def plan_news(sender: Any, turn_id: int, side: Side, news: DuelNews, **_: Any) -> None:
    """Store the news for the player of `side`.

    A receiver of `player_acted`, connected if e-mail is configured.
    """
    _plan(Turn.objects.select_related("match__red", "match__yellow").get(pk=turn_id), (side,), news)


def plan_end(sender: Any, match: Match, **_: Any) -> None:
    """Store the end of a game that the board or the clock decided, for both players.

    A receiver of `match_ended`. `player_acted` reports the other endings.
    """
    if match.ended_by not in (Ending.CONCEDED, Ending.AGREED):
        _plan(match.turns.latest("number", "pk"), SIDES, DuelNews.ENDED)


def _plan(turn: Turn, sides: tuple[Side, ...], news: DuelNews) -> None:
    match = turn.match
    is_long = (match.bank_s or 0) * 1000 >= LONG_WINDOW_MS
    duel = Duel.objects.filter(event=match.event_id).first() if is_long else None
    if duel:
        seats = dict(zip(SIDES, players_by_side(duel, match), strict=True))
        guests = [seats[side] for side in sides]
        addresses = EmailAddress.objects.filter(guest__in=guests, confirmed_at__isnull=False)
        EmailNotification.objects.bulk_create(
            [
                EmailNotification(address=address, turn=turn, news=news, due_at=timezone.now() + GRACE_PERIOD)
                for address in addresses
            ],
            ignore_conflicts=True,
        )


def is_current(notification: EmailNotification, side: Side) -> bool:
    """Whether the player of `side` can still answer the offer. True for other news."""
    turn = notification.turn
    if turn is None or notification.news not in OFFERS:
        return True
    kind = OFFERS[DuelNews(notification.news)]
    unanswered = turn.offers.filter(side=other_side(side), kind=kind, declined=False)
    return turn.state == TurnState.OPEN and unanswered.exists()


def is_within_limit(address: EmailAddress, limit: int) -> bool:
    """Count one more of the day's news to this address. False above `limit`."""
    key = f"news-{address.pk}-{timezone.now():%d}"
    cache.add(key, 0, DAY_S)
    return bool(cache.incr(key) <= limit)

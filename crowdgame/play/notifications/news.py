"""News of a long game for an absent player: their turn, offers and their answers, and how the game ended.

Someone who is at the board when they are due receives none.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from crowdgame.play.duels.duel_news import DuelNews
from crowdgame.play.duels.lists import players_by_side
from crowdgame.play.duels.models import Duel
from crowdgame.play.notifications.models import EmailNotification, PushNotification
from crowdgame.play.notifications.planning import store_notifications
from games.engine.game import SIDES, Side, other_side
from voting.models import Match, Turn, TurnState
from voting.positions import load_position
from voting.terms import Ending
from voting.turns.clocks import bank_ms

LONG_WINDOW_MS = 3600 * 1000  # minimum time left: with less, a mail comes too late
GRACE_PERIOD = timedelta(minutes=3)  # skips players who are at the board and act at once
MAX_NEWS_PER_DAY = 20
DAY_S = 24 * 3600
OFFERS = {DuelNews.DRAW_OFFERED: "draw", DuelNews.TAKEBACK_OFFERED: "takeback"}


def plan_notifications(sender: Any, turn: Turn, **_: Any) -> None:
    """Store a notification for each player to move in a new turn with a long time bank.

    A receiver of `turn_created`, connected if e-mail or push is configured.
    """
    if turn.state != TurnState.OPEN:
        return
    long = [side for side in SIDES if bank_ms(turn, side) >= LONG_WINDOW_MS]
    duel = Duel.objects.filter(event=turn.match.event_id).first() if long else None
    if duel:
        seats = dict(zip(SIDES, players_by_side(duel, turn.match), strict=True))
        to_move = load_position(turn.match).to_move
        guests = [seats[side] for side in long if side in to_move]
        due_at = datetime.fromtimestamp(turn.opens_at / 1000, UTC) + GRACE_PERIOD
        store_notifications(turn, {"": due_at}, guest__in=guests)


def plan_news(sender: Any, turn_id: int, side: Side, news: DuelNews, **_: Any) -> None:
    """Store the news for the player of `side`.

    A receiver of `player_acted`, connected if e-mail or push is configured.
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
        store_notifications(turn, {news: timezone.now() + GRACE_PERIOD}, guest__in=guests)


def is_current(notification: EmailNotification | PushNotification, side: Side) -> bool:
    """Whether the player of `side` can still answer the offer. True for other news."""
    turn = notification.turn
    if turn is None or notification.news not in OFFERS:
        return True
    kind = OFFERS[DuelNews(notification.news)]
    unanswered = turn.offers.filter(side=other_side(side), kind=kind, declined=False)
    return turn.state == TurnState.OPEN and unanswered.exists()


def is_within_limit(notification: EmailNotification | PushNotification, limit: int) -> bool:
    """Count one more of the day's news to this address or device. False above `limit`.

    A notification counts once, however often it is retried.
    """
    if not cache.add(f"news-{notification._meta.model_name}-{notification.pk}", 1, DAY_S):
        return True
    address = notification.address
    key = f"news-{address._meta.model_name}-{address.pk}-{timezone.now():%d}"
    cache.add(key, 0, DAY_S)
    return bool(cache.incr(key) <= limit)

"""What happens in a duel that its absent player should know."""

from enum import StrEnum

from django.dispatch import Signal

from games.engine.game import Side


class DuelNews(StrEnum):
    """What the opponent did. With `ended`, the board or the clock decided the game."""

    DRAW_OFFERED = "draw_offered"
    DRAW_ACCEPTED = "draw_accepted"
    DRAW_DECLINED = "draw_declined"
    TAKEBACK_OFFERED = "takeback_offered"
    TAKEBACK_ACCEPTED = "takeback_accepted"
    TAKEBACK_DECLINED = "takeback_declined"
    RESIGNED = "resigned"
    ABORTED = "aborted"
    ENDED = "ended"


# Sent in the transaction of an action, with `turn_id`, the `side` that it concerns, and `news`.
player_acted = Signal()


def notify(turn_id: int, side: Side, news: DuelNews) -> None:
    player_acted.send(DuelNews, turn_id=turn_id, side=side, news=news)

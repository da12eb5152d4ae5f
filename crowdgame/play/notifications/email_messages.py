"""The texts and headers of e-mail notifications.

Each has an unsubscribe link and the List-Unsubscribe header.
"""

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, ngettext, override
from django.utils.translation import gettext_lazy as _

from crowdgame.play.duels.descriptions import describe_duel
from crowdgame.play.duels.duel_news import DuelNews
from crowdgame.play.duels.lists import players_by_side
from crowdgame.play.notifications import vote_messages
from crowdgame.play.notifications.addresses import confirm_link, unsubscribe_link
from crowdgame.play.notifications.models import AnyRecipient, EmailAddress, EmailNotification
from crowdgame.play.notifications.news import OFFERS
from games.engine.game import SIDES, Side
from voting.models import MatchResult, Turn
from voting.turns.clocks import bank_ms

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

CONFIRM_TEXT = _("""Hello,

%(guest)s asked for "your turn" e-mails to this address, for their games on Crowdgame.
If this was you, confirm the address within 24 hours:

%(confirm)s

If not, ignore this e-mail. To delete the address now:
%(stop)s
""")
TURN_TEXT = _("""Hello %(guest)s,

It's your turn against %(other)s (turn %(number)s). You have %(left)s left.

%(board)s

Unsubscribe:
%(stop)s
""")
NEWS_TEXT = _("""Hello %(guest)s,

%(news)s.

%(board)s

Unsubscribe:
%(stop)s
""")
OFFER_TEXT = _("""Hello %(guest)s,

%(news)s. You can answer until turn %(number)s ends.

%(board)s

Unsubscribe:
%(stop)s
""")
HEADLINES: dict[str, "StrPromise"] = {
    DuelNews.DRAW_OFFERED: _("%(other)s offers a draw"),
    DuelNews.DRAW_ACCEPTED: _("%(other)s accepted your draw offer"),
    DuelNews.DRAW_DECLINED: _("%(other)s declined your draw offer"),
    DuelNews.TAKEBACK_OFFERED: _("%(other)s asks to take back the last turn"),
    DuelNews.TAKEBACK_ACCEPTED: _("%(other)s agreed to take back the last turn"),
    DuelNews.TAKEBACK_DECLINED: _("%(other)s declined to take back the last turn"),
    DuelNews.RESIGNED: _("%(other)s resigned: you won"),
    DuelNews.ABORTED: _("%(other)s aborted the game"),
}
WON, LOST, DRAWN = (
    _("You won against %(other)s"),
    _("You lost to %(other)s"),
    _("Your game against %(other)s is a draw"),
)
HOUR_MS, DAY_MS = 3600 * 1000, 24 * 3600 * 1000


def build_email(notification: EmailNotification, now: int) -> EmailMessage:
    """Build the message of a notification: the turn's, its news, or the confirmation request.

    It is in the language of the address. `now` is in ms since 1970.
    """
    address, turn = notification.address, notification.turn
    with override(address.language):
        if turn is None:
            text = vote_messages.confirm_text(address) if address.event_id else _confirm_text(address)
            subject = gettext("Confirm your e-mail address")
        else:
            subject = build_subject(address, turn, notification.news)
            if address.event_id:
                text = vote_messages.vote_text(address, turn, notification.news)
            elif notification.news:
                text = _news_text(notification, turn, subject)
            else:
                text = _turn_text(address, turn, now)
    return EmailMessage(subject, text, to=[address.email], headers=_headers(notification))


def build_subject(address: AnyRecipient, turn: Turn, news: str) -> str:
    """Return one line about the turn or its news, in the current language."""
    if address.event_id:
        return vote_messages.vote_subject(turn, news)
    if news:
        return _headline(address, turn, news)
    return gettext("Your turn against %(opponent)s") % {"opponent": _opponent_name(address, turn)}


def _headers(notification: EmailNotification) -> dict[str, str]:
    """Derive the Message-ID from the notification.

    A message sent twice has the same ID, and many mail clients show it once.
    """
    named = salted_hmac("crowdgame.play.notifications.message", str(notification.pk)).hexdigest()[:32]
    return {
        "Message-ID": f"<{named}@{settings.DEFAULT_FROM_EMAIL.rpartition('@')[2].rstrip('>')}>",
        "List-Unsubscribe": f"<{unsubscribe_link(notification.address)}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }


def _confirm_text(address: EmailAddress) -> str:
    links = {"confirm": confirm_link(address), "stop": unsubscribe_link(address)}
    return CONFIRM_TEXT % {"guest": address.guest, **links}


def _turn_text(address: EmailAddress, turn: Turn, now: int) -> str:
    event = turn.match.event
    return TURN_TEXT % {
        "guest": address.guest,
        "other": _opponent_name(address, turn),
        "number": turn.number,
        "left": format_time_left(turn.opens_at + bank_ms(turn, player_side(address, turn)) - now),
        "board": f"{describe_duel(event.duel)}\n{_board_link(turn)}",
        "stop": unsubscribe_link(address),
    }


def _headline(address: AnyRecipient, turn: Turn, news: str) -> str:
    side, result = player_side(address, turn), turn.match.result
    ended = DRAWN if result == MatchResult.DRAW else WON if result == side else LOST
    return str(HEADLINES.get(news, ended)) % {"other": _opponent_name(address, turn)}


def _news_text(notification: EmailNotification, turn: Turn, headline: str) -> str:
    text = OFFER_TEXT if notification.news in OFFERS else NEWS_TEXT
    return text % {
        "guest": notification.address.guest,
        "news": headline,
        "number": turn.number,
        "board": _board_link(turn),
        "stop": unsubscribe_link(notification.address),
    }


def _board_link(turn: Turn) -> str:
    return f"{settings.PUBLIC_URL}/play/{turn.match.event.code}"


def player_side(address: AnyRecipient, turn: Turn) -> Side:
    """Return the side of the recipient, a guest, in the turn's match. The two swap sides with each match."""
    return SIDES[players_by_side(turn.match.event.duel, turn.match).index(address.guest)]


def _opponent_name(address: AnyRecipient, turn: Turn) -> str:
    match = turn.match
    return (match.yellow if player_side(address, turn) == "red" else match.red).name


def format_time_left(ms: int) -> str:
    """Return days and hours, or hours alone, rounded down."""
    days, hours = ms // DAY_MS, ms % DAY_MS // HOUR_MS
    day_text = ngettext("%(count)s day", "%(count)s days", days) % {"count": days}
    hour_text = ngettext("%(count)s hour", "%(count)s hours", hours) % {"count": hours}
    if days and hours:
        return gettext("%(days)s and %(hours)s") % {"days": day_text, "hours": hour_text}
    return day_text if days else hour_text

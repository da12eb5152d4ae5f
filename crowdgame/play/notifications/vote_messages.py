"""The texts of e-mails to voters. They tell nothing about other voters."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crowdgame.play.notifications.addresses import confirm_link, unsubscribe_link
from crowdgame.play.notifications.models import EmailAddress
from crowdgame.play.notifications.vote_news import VoteNews
from voting.models import Turn

CONFIRM_TEXT = _("""Hello,

someone asked for an e-mail to this address whenever a vote opens in “%(event)s”.
If this was you, confirm the address within 24 hours:

%(confirm)s

If not, ignore this e-mail. To delete the address now:
%(stop)s
""")
OPEN_TEXT = _("""Hello,

turn %(number)s of “%(event)s” is open. Vote before %(time)s.

%(phone)s

Unsubscribe:
%(stop)s
""")
REMINDER_TEXT = _("""Hello,

you haven't voted in turn %(number)s of “%(event)s” yet. The vote closes on %(time)s.

%(phone)s

Unsubscribe:
%(stop)s
""")


def confirm_text(address: EmailAddress) -> str:
    links = {"confirm": confirm_link(address), "stop": unsubscribe_link(address)}
    return CONFIRM_TEXT % {"event": address.event, **links}


def vote_subject(turn: Turn, news: str) -> str:
    is_open = news == VoteNews.OPEN
    subject = gettext("The vote is open: %(event)s") if is_open else gettext("Vote soon: %(event)s")
    return subject % {"event": turn.match.event.name}


def vote_text(address: EmailAddress, turn: Turn, news: str) -> str:
    event, text = turn.match.event, OPEN_TEXT if news == VoteNews.OPEN else REMINDER_TEXT
    return text % {
        "number": turn.number,
        "event": event.name,
        "time": format_deadline(turn.closes_at, address.time_zone),
        "phone": f"{settings.PUBLIC_URL}/{event.code}",
        "stop": unsubscribe_link(address),
    }


def format_deadline(ms: int, time_zone: str) -> str:
    """Return date and time in the reader's time zone, or in UTC if it is unknown, with the zone's name."""
    at = datetime.fromtimestamp(ms / 1000, ZoneInfo(time_zone) if time_zone else UTC)
    return f"{date_format(at, 'DATETIME_FORMAT')} ({(time_zone or 'UTC').replace('_', ' ')})"

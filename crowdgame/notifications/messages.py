"""The mails themselves. Each has a link that stops them, and the same for the mail program's own button."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.crypto import salted_hmac

from crowdgame.duels.lists import seats_of
from crowdgame.notifications.addresses import link_to_confirm, link_to_stop
from crowdgame.notifications.models import Address, EmailNotification
from games.engine.game import SIDES, Side
from games.models import Turn
from voting.turns.clocks import bank_of

CONFIRM = """Hello,

{guest} wants to be told at this address when it is their turn in a game of the open hall.
Is that you? Then open this link within 24 hours:

{confirm}

If not, do nothing: no other mail comes. To have the address forgotten at once:
{stop}
"""
TURN = """Hello {guest},

it is your turn against {other}, turn {number}. You have {left} left.

{board}

No more mails of this kind:
{stop}
"""
HOUR_MS, DAY_MS = 3600 * 1000, 24 * 3600 * 1000


def build_email(notification: EmailNotification, now: int) -> EmailMessage:
    address, turn = notification.address, notification.turn
    if turn is None:
        subject, text = "Is this your address?", _to_confirm(address)
    else:
        subject, text = f"Your turn against {_other(address, turn)}", _your_turn(address, turn, now)
    return EmailMessage(subject, text, to=[address.email], headers=_headers(notification))


def _headers(notification: EmailNotification) -> dict[str, str]:
    """Sent twice it has the same id: many mail programs show it once."""
    named = salted_hmac("crowdgame.notifications.message", str(notification.pk)).hexdigest()[:32]
    return {
        "Message-ID": f"<{named}@{settings.DEFAULT_FROM_EMAIL.rpartition('@')[2].rstrip('>')}>",
        "List-Unsubscribe": f"<{link_to_stop(notification.address)}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }


def _to_confirm(address: Address) -> str:
    links = {"confirm": link_to_confirm(address), "stop": link_to_stop(address)}
    return CONFIRM.format(guest=address.guest, **links)


def _your_turn(address: Address, turn: Turn, now: int) -> str:
    return TURN.format(
        guest=address.guest,
        other=_other(address, turn),
        number=turn.number,
        left=left_in_words(turn.opens_at + bank_of(turn, side_of(address, turn)) - now),
        board=f"{settings.PUBLIC_URL}/play/{turn.match.event.code}",
        stop=link_to_stop(address),
    )


def side_of(address: Address, turn: Turn) -> Side:
    """In this match: the two change sides with each."""
    return SIDES[seats_of(turn.match.event.duel, turn.match).index(address.guest)]


def _other(address: Address, turn: Turn) -> str:
    match = turn.match
    return (match.yellow if side_of(address, turn) == "red" else match.red).name


def left_in_words(ms: int) -> str:
    """Days and hours, or hours alone: as exact as one plans by."""
    days, hours = ms // DAY_MS, ms % DAY_MS // HOUR_MS
    parts = [(days, "day"), (hours, "hour")] if days else [(hours, "hour")]
    return " and ".join(f"{count} {unit}{'s' if count != 1 else ''}" for count, unit in parts if count)

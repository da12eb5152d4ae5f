"""Post, report and block in chat rooms. Readers receive a message within half a second."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from crowdgame.accounts.models import Guest
from crowdgame.play.chat.limits import (
    MAX_PER_GUEST,
    Limit,
    RateLimited,
    RecentMessage,
    exceeded_limit,
    lookback,
)
from crowdgame.play.chat.models import LINE_LENGTH, ChatBlock, ChatLine, ChatMute, ChatReport, ChatRoom
from crowdgame.play.chat.rooms import ChatError, next_seq
from voting.names import clean_name

MAX_TYPED_LENGTH = 4 * LINE_LENGTH  # before invisible characters are removed
REPORT_REASONS = {
    "insult": _("Insults or hate"),
    "advert": _("Advertising"),
    "private": _("Private information"),
    "other": pgettext_lazy("reason of a report", "Other"),
}


@dataclass(frozen=True, slots=True)
class MessageAuthor:
    """The author of a message. Without a `guest`, the first message creates one."""

    guest: Guest | None
    create_guest: Callable[[], Guest]


def clean_message(typed: str, longest: int = LINE_LENGTH) -> str:
    """Return the message as one line of visible characters. Raises ChatError if it is empty or too long."""
    text = clean_name(typed[:MAX_TYPED_LENGTH])
    if not text:
        raise ChatError(gettext("This message has no visible text."))
    if len(text) > longest or len(typed) > MAX_TYPED_LENGTH:
        refusal = ngettext(
            "Your message is too long. The limit is %(count)s character.",
            "Your message is too long. The limit is %(count)s characters.",
            longest,
        )
        raise ChatError(refusal % {"count": longest})
    return text


@transaction.atomic
def post_message(room: ChatRoom, speaker: MessageAuthor, typed: str) -> ChatLine:
    """Post a message. Raises ChatError if it is refused; no guest is created then."""
    text = clean_message(typed)
    seq = next_seq(room)
    _check_may_post(room, speaker.guest, text)
    guest = speaker.guest or speaker.create_guest()
    return room.lines.create(guest=guest, name=str(guest), text=text, at=timezone.now(), seq=seq)


def _check_may_post(room: ChatRoom, guest: Guest | None, text: str) -> None:
    if room.closed:
        raise ChatError(gettext("This room is closed to new messages."))
    if guest is not None and (mute := active_mute(guest)):
        raise ChatError(mute_notice(mute))
    now = timezone.now()
    lately = room.lines.filter(at__gt=now - lookback(room.slow_s)).select_related("guest")
    said = [RecentMessage(line.guest_id, line.guest.came_at, line.text, line.at) for line in lately]
    wish = RecentMessage(guest.pk if guest else 0, guest.came_at if guest else now, text, now)
    if exceeded := exceeded_limit(wish, said, room.slow_s):
        raise ChatError(limit_notice(exceeded, room.slow_s))


def limit_notice(exceeded: RateLimited, slow_s: int) -> str:
    match exceeded.limit:
        case Limit.DUPLICATE:
            return gettext("You just posted that message.")
        case Limit.SLOW_MODE:
            text = gettext("One message every %(interval)s s. Wait %(wait)s s.")
            return text % {"interval": slow_s, "wait": exceeded.wait_s}
        case Limit.GUEST:
            text = ngettext(
                "Limit reached: %(count)s message per minute. Wait a moment.",
                "Limit reached: %(count)s messages per minute. Wait a moment.",
                MAX_PER_GUEST,
            )
            return text % {"count": MAX_PER_GUEST}
        case Limit.NEW_GUESTS:
            return gettext("Too many messages from new guests. Try again in a minute.")
        case Limit.ROOM:
            return gettext("Too many messages in this room. Try again in a minute.")


def active_mute(guest: Guest) -> ChatMute | None:
    on = Q(until=None) | Q(until__gt=timezone.now())
    return ChatMute.objects.filter(on, guest=guest).first()


def mute_notice(mute: ChatMute | None) -> str:
    """Return the notice for a muted guest, empty without a mute or after it."""
    if mute is None or (mute.until is not None and mute.until <= timezone.now()):
        return ""
    if mute.until is None:
        return gettext("A moderator has muted you.")
    until = date_format(mute.until, "DATETIME_FORMAT")
    return gettext("A moderator has muted you until %(time)s UTC.") % {"time": until}


def block(guest: Guest, blocked: Guest) -> None:
    """Hide the messages of `blocked` from `guest`. Idempotent; a guest cannot block themselves."""
    if guest != blocked:
        ChatBlock.objects.get_or_create(guest=guest, blocked=blocked)


def unblock(guest: Guest, number: int) -> None:
    """Show the messages of the guest with this number again. Idempotent."""
    ChatBlock.objects.filter(guest=guest, blocked__number=number).delete()


def report(line: ChatLine, by: Guest | None, reason: str) -> None:
    """Report a message; once per message and guest. Raises ChatError for an unknown reason."""
    if reason not in REPORT_REASONS:
        raise ChatError(gettext("Choose a reason for the report."))
    ChatReport.objects.get_or_create(line=line, by=by, defaults={"reason": reason})

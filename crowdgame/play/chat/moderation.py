"""Chat moderation: remove a message, mute a guest, set slow mode, close a room.

Every action is written to Django's admin log (LogEntry), the audit log of moderation.
"""

from datetime import timedelta

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from crowdgame.accounts.models import Guest
from crowdgame.play.chat.models import SLOW_S, ChatLine, ChatMute, ChatRoom
from crowdgame.play.chat.rooms import ChatError, next_seq

MODERATE_PERMISSION = "chat.moderate_chat"
MUTE_LENGTHS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "ever": None}


def is_moderator(user: AbstractBaseUser | AnonymousUser) -> bool:
    return isinstance(user, User) and user.has_perm(MODERATE_PERMISSION)


def remove_message(line: ChatLine, by: User) -> None:
    """Remove a message everywhere and settle its reports. Idempotent."""
    with transaction.atomic():
        seq = next_seq(line.room)
        if not ChatLine.objects.filter(pk=line.pk, removed=False).update(removed=True, seq=seq):
            return
        line.reports.update(settled=True)
        _log_moderation(by, line.guest, f"removed message {line.pk}")


def mute(line: ChatLine, by: User, how_long: str) -> None:
    """Mute the message's author in all rooms, for a key of MUTE_LENGTHS. Raises ChatError for any other."""
    if how_long not in MUTE_LENGTHS:
        raise ChatError(_("Choose a duration."))
    lasts = MUTE_LENGTHS[how_long]
    until = None if lasts is None else timezone.now() + lasts
    with transaction.atomic():
        ChatMute.objects.update_or_create(guest=line.guest, defaults={"until": until, "by": by})
        lasting = f"until {until:%Y-%m-%d %H:%M} UTC" if until else "permanently"
        _log_moderation(by, line.guest, f"muted {lasting}")


def unmute(line: ChatLine, by: User) -> None:
    """Unmute the message's author. Idempotent."""
    with transaction.atomic():
        if ChatMute.objects.filter(guest=line.guest).delete()[0]:
            _log_moderation(by, line.guest, "unmuted")


def dismiss_reports(line: ChatLine, by: User) -> None:
    """Settle the message's reports without removing it. Idempotent."""
    with transaction.atomic():
        if line.reports.filter(settled=False).update(settled=True):
            _log_moderation(by, line.guest, f"dismissed reports of message {line.pk}")


def configure_room(room: ChatRoom, by: User, slow_s: int, closed: bool) -> None:
    """Set a room's slow mode and close or open it. Raises ChatError unless `slow_s` is one of SLOW_S."""
    if slow_s not in SLOW_S:
        raise ChatError(_("Choose one of the intervals."))
    with transaction.atomic():
        next_seq(room)
        ChatRoom.objects.filter(pk=room.pk).update(slow_s=slow_s, closed=closed)
        _log_moderation(by, room, f"{'closed' if closed else 'opened'} {room}; one message every {slow_s} s")


def reported_messages() -> QuerySet[ChatLine]:
    """Return messages with open reports, the latest report first."""
    still = Q(reports__settled=False)
    counted = ChatLine.objects.filter(still).annotate(times=Count("reports"), last=Max("reports__at"))
    return counted.select_related("room__duel__event", "guest").order_by("-last").prefetch_related("reports")


def _log_moderation(by: User, about: Guest | ChatRoom, what: str) -> None:
    """Add an entry. Only `object_repr` may have a guest's name, because `forget_guest` replaces it there."""
    LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(about),
        object_id=str(about.pk),
        object_repr=str(about)[:200],
        action_flag=CHANGE,
        change_message=what,
    )

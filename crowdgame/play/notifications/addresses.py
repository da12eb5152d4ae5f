"""E-mail addresses of guests and voters: add, confirm by a signed link (double opt-in), unsubscribe."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import get_language, gettext

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import PlayError
from crowdgame.play.notifications.models import EmailAddress, EmailNotification, PushSubscription
from voting.admission.seats import Seat

CONFIRM_SALT, UNSUBSCRIBE_SALT, ADDRESS_SALT = (
    f"crowdgame.play.notifications.{what}" for what in ("confirm", "stop", "asked")
)
CONFIRM_MAX_AGE = timedelta(days=1)
HOUR_S, DAY_S = 3600, 24 * 3600
MAX_CONFIRMATIONS_PER_HOUR = 100
MAX_ADDRESSES_PER_EVENT = 2_000  # the transaction that opens a turn stores the notifications of all


def add_address(guest: Guest, email: str) -> None:
    """Replace the guest's address and send a confirmation request.

    Raises PlayError at a rate limit, RedisError without Redis.
    """
    _replace_address(email, {"guest": guest})


def add_voter_address(seat: Seat, email: str, time_zone: str) -> None:
    """Replace the address of the voter's seat and send a confirmation request.

    Raises PlayError at a rate limit or if the event has too many addresses, RedisError without Redis.
    """
    others = EmailAddress.objects.filter(event=seat.event_id).exclude(voter=seat.voter)
    if others.count() >= MAX_ADDRESSES_PER_EVENT:
        raise PlayError(gettext("This event can't notify more voters by e-mail."))
    owner = {"event_id": seat.event_id, "voter": seat.voter}
    _replace_address(email, owner, team=seat.team, time_zone=time_zone)


def _replace_address(email: str, owner: dict[str, Any], **details: Any) -> None:
    _check_rate_limit(email)
    with transaction.atomic():
        EmailAddress.objects.filter(**owner).delete()
        address = EmailAddress.objects.create(email=email, language=get_language(), **owner, **details)
        EmailNotification.objects.create(address=address, due_at=timezone.now())


def _check_rate_limit(email: str) -> None:
    """Allow one request per address and day, and MAX_CONFIRMATIONS_PER_HOUR on the whole server.

    Nobody can fill a mailbox by asking again or under several names. Raises PlayError, RedisError.
    """
    asked = f"asked-{salted_hmac(ADDRESS_SALT, email.casefold()).hexdigest()}"
    if not cache.add(asked, 1, DAY_S):
        raise PlayError(
            gettext("A confirmation e-mail was already sent today. Check your inbox and spam folder.")
        )
    hour = f"asked-in-{timezone.now():%d%H}"
    cache.add(hour, 0, HOUR_S)
    if cache.incr(hour) > MAX_CONFIRMATIONS_PER_HOUR:
        cache.delete(asked)
        raise PlayError(gettext("Too many confirmation e-mails right now. Try again in an hour."))


def confirm_address(address: EmailAddress) -> None:
    """Confirm the address. Idempotent: the first time counts."""
    EmailAddress.objects.filter(pk=address.pk, confirmed_at=None).update(confirmed_at=timezone.now())


def confirm_link(address: EmailAddress) -> str:
    return f"{settings.PUBLIC_URL}/play/confirm/{_token(address, CONFIRM_SALT)}"


def unsubscribe_link(address: EmailAddress) -> str:
    return f"{settings.PUBLIC_URL}/play/stop/{_token(address, UNSUBSCRIBE_SALT)}"


def find_to_confirm(token: str) -> EmailAddress | None:
    """Return the address of a confirmation link.

    None if the link is invalid or expired, or the address deleted.
    """
    return _find(token, CONFIRM_SALT, CONFIRM_MAX_AGE)


def find_to_unsubscribe(token: str) -> EmailAddress | None:
    """Return the address of an unsubscribe link, or None. The link does not expire."""
    return _find(token, UNSUBSCRIBE_SALT, None)


def is_unsubscribe_token(token: str) -> bool:
    """Whether the token is intact. A truncated link stops nothing, and its page must not say that it did."""
    return _read(token, UNSUBSCRIBE_SALT, None) is not None


def _token(address: EmailAddress, salt: str) -> str:
    return signing.dumps([address.pk, _digest(address)], salt=salt)


def _find(token: str, salt: str, max_age: timedelta | None) -> EmailAddress | None:
    if (read := _read(token, salt, max_age)) is None:
        return None
    pk, digest = read
    address = EmailAddress.objects.select_related("guest", "event").filter(pk=pk).first()
    return address if address and constant_time_compare(digest, _digest(address)) else None


def _read(token: str, salt: str, max_age: timedelta | None) -> tuple[int, str] | None:
    try:
        pk, digest = signing.loads(token, salt=salt, max_age=max_age)
    except signing.BadSignature:
        return None
    return pk, digest


def _digest(address: EmailAddress) -> str:
    """Bind a link to its owner and address. After a restore, another address may get the same primary key."""
    owner = address.guest_id or f"{address.event_id}.{address.voter}"
    return salted_hmac(ADDRESS_SALT, f"{owner} {address.email}").hexdigest()[:16]


def remove_recipients(guest: Guest, **_: Any) -> None:
    """Delete the guest's address and devices."""
    for kind in (EmailAddress, PushSubscription):
        kind._default_manager.filter(guest=guest).delete()

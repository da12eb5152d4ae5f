"""Add and remove webhooks, replace their secrets, and send what is asked for by hand."""

import secrets
from base64 import b64encode
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, get_args
from urllib.parse import urlsplit

import msgspec
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, override

from crowdgame.accounts.account_language import language_of
from crowdgame.accounts.queued_mail import queue_mail
from crowdgame.events.event_edits import box_time
from crowdgame.events.models import AuditEntry
from crowdgame.events.permissions import OrganizerAccess
from crowdgame.organizer.api.models import Webhook, WebhookDelivery
from crowdgame.organizer.api.webhook_request import SECRET_PREFIX
from crowdgame.organizer.console.control import NOT_ALLOWED, NotPermitted
from crowdgame.server.web.outgoing_request import check_url
from voting.matches import MatchError, locked_event
from voting.models import Event
from voting.protocol.changes import Changes

TYPES = tuple(str(kind.__struct_config__.tag) for kind in get_args(Changes))
PING, SKIPPED = "webhook.ping", "webhook.skipped"
MAX_WEBHOOKS = 10
OLD_SECRET_PERIOD = timedelta(days=1)
SECRET_BYTES = 32
URL_RULE = gettext_lazy("Enter an https:// address with port 443 or above 1023 and without a user name.")
ADDED = gettext_noop("%(by)s added a webhook to %(host)s")
REMOVED = gettext_noop("%(by)s removed a webhook to %(host)s")
LOST = gettext_noop("The webhook to %(host)s was removed, because its user can't run the event any more")
PAUSED = gettext_noop("The webhook to %(host)s was paused, because it accepts no messages")


def add_webhook(who: OrganizerAccess, event: Event, url: str, types: Iterable[str]) -> Webhook:
    """Add a webhook that gets the changes from now on.

    Raises RefusedAddress for a URL that isn't allowed, NotPermitted without permission to run the event, or
    MatchError if the event has too many, or if the server sends none.
    """
    if settings.WEBHOOKS == "off":
        raise MatchError(_("This server sends no webhooks."))
    check_url(url)
    if not who.may("run"):
        raise NotPermitted(str(NOT_ALLOWED))
    with locked_event(event.pk) as locked:
        if locked.webhooks.count() >= MAX_WEBHOOKS:
            raise MatchError(_("This event has too many webhooks. Remove one first."))
        webhook = Webhook.objects.create(
            user_id=who.user_id, event=locked, url=url, types=[*types], secret=_new_secret(), seq=locked.seq
        )
        _log(webhook, "webhook.add", ADDED, who.name)
    return webhook


def remove_webhook(webhook: Webhook, by: str = "") -> None:
    """Remove it for the organizer `by`, or because its user may not run the event any more."""
    with transaction.atomic():
        _log(webhook, "webhook.remove", REMOVED if by else LOST, by)
        webhook.delete()


def pause_webhook(webhook: Webhook) -> None:
    """Send nothing more until its user resumes it, and tell them by e-mail. Idempotent."""
    with transaction.atomic():
        running = Webhook.objects.filter(pk=webhook.pk, paused_at=None)
        if running.update(paused_at=timezone.now()):
            _log(webhook, "webhook.pause", PAUSED, "")
            _send_mail(webhook)


def _send_mail(webhook: Webhook) -> None:
    user = webhook.user
    if settings.EMAIL_ENABLED and user.email:
        with override(language_of(user) or settings.LANGUAGE_CODE):
            text = _("Your webhook to %(host)s accepts no messages. Resume it here: %(link)s")
            page = f"{settings.PUBLIC_URL}/console/webhooks/"
            values = {"host": host(webhook), "link": page}
            queue_mail(EmailMessage(_("Webhook paused"), text % values, to=[user.email]))


def resume_webhook(webhook: Webhook) -> None:
    """Continue where it was paused."""
    paused = Webhook.objects.filter(pk=webhook.pk, paused_at__isnull=False)
    paused.update(paused_at=None, failing_since=None, next_at=timezone.now())


def rotate_secret(webhook: Webhook) -> str:
    """Return a new secret. Messages are signed with the old one, too, for OLD_SECRET_PERIOD."""
    webhook.old_secret, webhook.secret, webhook.rotated_at = webhook.secret, _new_secret(), timezone.now()
    webhook.save(update_fields=["old_secret", "secret", "rotated_at"])
    return webhook.secret


def valid_secrets(webhook: Webhook) -> list[str]:
    is_old_valid = webhook.rotated_at and timezone.now() < webhook.rotated_at + OLD_SECRET_PERIOD
    return [webhook.secret, webhook.old_secret] if is_old_valid else [webhook.secret]


def ping(webhook: Webhook) -> WebhookDelivery:
    """Send a message without meaning, to test the receiver."""
    delivery = draft_delivery(webhook, PING, timezone.now(), {"event": webhook.event.code})
    delivery.save()
    return delivery


def resend(delivery: WebhookDelivery) -> None:
    """Send a message again, with the same id."""
    delivery.due_at = timezone.now()
    delivery.save(update_fields=["due_at"])


def draft_delivery(webhook: Webhook, kind: str, at: datetime, data: dict[str, Any]) -> WebhookDelivery:
    timestamp = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = msgspec.json.encode({"type": kind, "timestamp": timestamp, "data": data})
    return WebhookDelivery(
        webhook=webhook, message_id=f"msg_{secrets.token_hex(16)}", type=kind, body=body.decode()
    )


def host(webhook: Webhook) -> str:
    """The host of its URL. The rest may contain a secret of the receiver."""
    return str(urlsplit(webhook.url).hostname)


def _new_secret() -> str:
    return SECRET_PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _log(webhook: Webhook, action: str, text: str, by: str) -> None:
    AuditEntry.objects.create(
        event_id=webhook.event_id,
        user_id=webhook.user_id,
        by=by,
        what=text,
        what_values={"host": host(webhook)},
        at=box_time(),
        action=action,
    )

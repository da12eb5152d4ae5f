"""Sends e-mail notifications that are due: "your turn" and news in long games, votes in long windows, and
confirmation requests.
"""

import logging
from collections.abc import Iterable
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend

from crowdgame.play.notifications.due_notifications import claim_wanted, find_due
from crowdgame.play.notifications.email_messages import build_email
from crowdgame.play.notifications.models import EmailNotification
from voting.ballot_box.ballot_box import BallotBox

log = logging.getLogger(__name__)

SEND_NOTIFICATIONS = "notifications.send_notifications"
PERMANENT_SMTP_CODE = 500


def is_due() -> bool:
    return settings.EMAIL_ENABLED and find_due(EmailNotification).exists()


def send_due(box: BallotBox) -> None:
    """Send a small batch, so that a mail server that is away does not block a worker for long."""
    if ready := claim_wanted(EmailNotification, box):
        try:
            with get_connection() as connection:
                _send(ready, connection, box)
        except (SMTPException, OSError) as error:  # the error's text may contain an address
            log.warning(
                "%s e-mails delayed, no connection to the mail server: %s", len(ready), type(error).__name__
            )


def _send(notifications: Iterable[EmailNotification], connection: BaseEmailBackend, box: BallotBox) -> None:
    for notification in notifications:
        if not EmailNotification.objects.filter(pk=notification.pk).exists():  # unsubscribed in the meantime
            continue
        mail = build_email(notification, box.now())
        mail.connection = connection
        try:
            mail.send()
        except SMTPRecipientsRefused as refusal:
            if all(code >= PERMANENT_SMTP_CODE for code, _ in refusal.recipients.values()):
                notification.address.delete()
            continue
        except ValueError:  # no header can hold the address
            notification.address.delete()
            continue
        except SMTPDataError as refusal:  # only this message is refused: the rest are still sent
            log.warning("the mail server refused an e-mail: %s", refusal.smtp_code)
            if refusal.smtp_code < PERMANENT_SMTP_CODE:
                continue
        notification.delete()

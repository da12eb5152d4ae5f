"""E-mails about accounts, sent by a worker, so that no request waits for the mail server.

Sent at least once. A message is stored in the transaction that causes it (a transactional outbox), and
deleted after the mail server accepts it. The task has no arguments: Celery logs those, and a message contains
an address and a link.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPSenderRefused
from threading import Lock

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from crowdgame.accounts.models import QueuedMail
from crowdgame.accounts.password_resets import queue_reset_links
from voting.turns.tasks import send_task

log = logging.getLogger(__name__)
_sending = Lock()

SEND_MAIL = "accounts.send_mail"
KEPT_FOR = timedelta(days=1)
LEASE = timedelta(minutes=1)
SEND_BATCH_SIZE = 10
PERMANENT_SMTP_CODE = 500


@contextmanager
def mail_turn() -> Iterator[bool]:
    """Yield whether no other thread of this process sends e-mail. If one does, what is due stays due.

    So a mail server that hangs blocks one thread of a background worker, and the others do its other tasks.
    """
    is_free = _sending.acquire(blocking=False)
    try:
        yield is_free
    finally:
        if is_free:
            _sending.release()


def queue_mail(message: EmailMessage) -> None:
    """Store the message in the current transaction. A worker sends it after the commit."""
    alternatives = [list(one) for one in getattr(message, "alternatives", ())]
    QueuedMail.objects.create(
        message={
            "subject": message.subject,
            "body": message.body,
            "from_email": message.from_email,
            "to": message.to,
            "alternatives": alternatives,
        }
    )
    transaction.on_commit(partial(send_task, SEND_MAIL))


def queue_reset(email: str, language: str) -> None:
    """Let a worker send a reset link to the accounts with this address, if there are any."""
    QueuedMail.objects.create(message={"reset": email, "language": language})
    transaction.on_commit(partial(send_task, SEND_MAIL))


def is_due() -> bool:
    """Whether a message waits that no worker has claimed."""
    return settings.EMAIL_ENABLED and _due().exists()


def send_due() -> None:
    """Send a small batch over one connection, so that a mail server that is away blocks no worker for long.

    A message that could not be sent is due again after its lease, for a day.
    """
    QueuedMail.objects.filter(queued_at__lt=timezone.now() - KEPT_FOR).delete()
    claimed = [mail for mail in _due().order_by("due_at")[:SEND_BATCH_SIZE] if _claim(mail)]
    if not claimed:
        return
    try:
        with get_connection() as connection:
            for mail in claimed:
                _send(mail, connection)
    except (SMTPException, OSError) as error:  # the error's text may contain an address
        log.warning(
            "e-mails about accounts delayed, no connection to the mail server: %s", type(error).__name__
        )


def _due() -> QuerySet[QueuedMail]:
    return QueuedMail.objects.filter(due_at__lte=timezone.now())


def _claim(mail: QueuedMail) -> bool:
    """Claim a message by a compare-and-set on `due_at`. It is due again when the lease expires."""
    same = QueuedMail.objects.filter(pk=mail.pk, due_at=mail.due_at)
    return same.update(due_at=timezone.now() + LEASE) == 1


def _send(mail: QueuedMail, connection: BaseEmailBackend) -> None:
    """Send a message. Deletes it if the mail server accepts it, refuses it for good or can't be given it."""
    if email := mail.message.get("reset"):
        with transaction.atomic():
            queue_reset_links(email, mail.message["language"])
            mail.delete()
        return
    try:
        EmailMultiAlternatives(**mail.message, connection=connection).send()
    except ValueError:
        log.warning("an e-mail about an account was deleted: no header can hold its address")
    except (SMTPRecipientsRefused, SMTPSenderRefused, SMTPDataError) as refusal:
        if not _is_permanent(refusal):
            log.warning("an e-mail about an account was refused for now: %s", type(refusal).__name__)
            return
    mail.delete()


def _is_permanent(refusal: SMTPRecipientsRefused | SMTPSenderRefused | SMTPDataError) -> bool:
    """Whether sending the same message again is pointless. A refused sender is an error of the settings."""
    if isinstance(refusal, SMTPRecipientsRefused):
        return all(code >= PERMANENT_SMTP_CODE for code, _ in refusal.recipients.values())
    return isinstance(refusal, SMTPDataError) and refusal.smtp_code >= PERMANENT_SMTP_CODE

"""E-mails about accounts, sent by a worker, so that no request waits for the mail server.

Until it is sent, a message is in the cache under a random key. The task knows only that key, because Celery
logs the arguments of tasks, and a message contains an address and a link. Sent at least once.
"""

import secrets
from functools import partial
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPSenderRefused

from django.core.cache import cache
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db import transaction

from voting.turns.tasks import send_task

SEND_MAIL = "accounts.send_mail"
KEPT_FOR_S = 24 * 3600
AWAY_FOR_S = 20  # without a connection to the mail server, no worker waits for it again in this time
PERMANENT_SMTP_CODE = 500
SERVER_AWAY = "account_mail:server_away"


class NotSent(Exception):
    """The message could not be sent yet. The text contains no address."""


def queue_mail(message: EmailMessage) -> None:
    """Let a worker send the message after the transaction. Raises redis.RedisError."""
    transaction.on_commit(partial(_queue, message))


def _queue(message: EmailMessage) -> None:
    key = secrets.token_urlsafe(18)
    fields = {
        "subject": message.subject,
        "body": message.body,
        "from_email": message.from_email,
        "to": message.to,
        "alternatives": [tuple(one) for one in getattr(message, "alternatives", ())],
    }
    cache.set(_cache_key(key), fields, KEPT_FOR_S)
    send_task(SEND_MAIL, key)


def send_queued_mail(key: str) -> None:
    """Send a message, unless it is sent already. A message that the mail server refuses for good is dropped.

    Raises NotSent.
    """
    fields = cache.get(_cache_key(key))
    if fields is None:
        return
    if cache.get(SERVER_AWAY):
        raise NotSent("no connection to the mail server")
    try:
        EmailMultiAlternatives(**fields).send()
    except (SMTPRecipientsRefused, SMTPSenderRefused, SMTPDataError) as refusal:
        if not _is_permanent(refusal):
            raise NotSent(f"the mail server refused it: {type(refusal).__name__}") from None
    except (SMTPException, OSError) as error:
        cache.set(SERVER_AWAY, 1, AWAY_FOR_S)
        raise NotSent(f"no connection to the mail server: {type(error).__name__}") from None
    cache.delete(_cache_key(key))


def _is_permanent(refusal: SMTPRecipientsRefused | SMTPSenderRefused | SMTPDataError) -> bool:
    """Whether sending the same message again is pointless. A refused sender is an error of the settings."""
    if isinstance(refusal, SMTPRecipientsRefused):
        return all(code >= PERMANENT_SMTP_CODE for code, _ in refusal.recipients.values())
    return isinstance(refusal, SMTPDataError) and refusal.smtp_code >= PERMANENT_SMTP_CODE


def _cache_key(key: str) -> str:
    return f"account_mail:{key}"

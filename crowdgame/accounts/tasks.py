"""The Celery task that sends e-mails about accounts."""

import logging
from typing import Any

from celery import shared_task

from crowdgame.accounts.queued_mail import SEND_MAIL, NotSent, send_queued_mail
from voting.ballot_box.stores import STORE_ERRORS

log = logging.getLogger(__name__)

FIRST_RETRY_S, LONGEST_RETRY_S = 30, 900
MAX_RETRIES = 12  # in two hours


@shared_task(
    bind=True, name=SEND_MAIL, max_retries=MAX_RETRIES, acks_late=True, throws=(NotSent, *STORE_ERRORS)
)
def send_mail(task: Any, key: str) -> None:
    """Send a queued message, and try again later if that fails."""
    try:
        send_queued_mail(key)
    except (NotSent, *STORE_ERRORS) as failure:
        attempt = task.request.retries
        log.warning("e-mail about an account delayed, attempt %s: %s", attempt + 1, failure)
        countdown = min(FIRST_RETRY_S * 2**attempt, LONGEST_RETRY_S)
        raise task.retry(exc=failure, countdown=countdown) from None

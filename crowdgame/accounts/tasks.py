"""The Celery task that sends e-mails about accounts."""

from celery import shared_task

from crowdgame.accounts.queued_mail import SEND_MAIL, send_due
from voting.ballot_box.stores import STORE_ERRORS


@shared_task(name=SEND_MAIL, throws=STORE_ERRORS)
def send_mail() -> None:
    send_due()

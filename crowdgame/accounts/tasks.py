"""The Celery task that sends e-mails about accounts."""

from celery import shared_task

from crowdgame.accounts.queued_mail import SEND_MAIL, mail_turn, send_due
from voting.ballot_box.stores import STORE_ERRORS


@shared_task(name=SEND_MAIL, throws=STORE_ERRORS)
def send_mail() -> None:
    with mail_turn() as is_free:
        if is_free:
            send_due()

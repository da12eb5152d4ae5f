"""The Celery tasks that send notifications."""

from functools import cache

from celery import shared_task

from crowdgame.accounts.queued_mail import mail_turn
from crowdgame.play.notifications import email, push
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import STORE_ERRORS

ballot_box = cache(BallotBox)


@shared_task(name=email.SEND_NOTIFICATIONS, throws=STORE_ERRORS)
def send_notifications() -> None:
    with mail_turn() as is_free:
        if is_free:
            email.send_due(ballot_box())


@shared_task(name=push.SEND_PUSHES, throws=STORE_ERRORS)
def send_pushes() -> None:
    push.send_due(ballot_box())

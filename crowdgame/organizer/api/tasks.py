"""The Celery task that sends webhooks."""

from celery import shared_task

from crowdgame.organizer.api import webhook_delivery
from voting.ballot_box.stores import STORE_ERRORS


@shared_task(name=webhook_delivery.SEND_DELIVERIES, throws=STORE_ERRORS)
def send_deliveries() -> None:
    webhook_delivery.send_deliveries()

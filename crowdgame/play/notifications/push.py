"""Sends due notifications to devices by Web Push (RFC 8030).

A push service may hang, so the worker of webhooks does it, and no e-mail waits. All messages of a batch are
sent at once.
"""

import asyncio
import logging
from collections.abc import Iterable
from http import HTTPStatus

from django.conf import settings

from crowdgame.play.notifications.due_notifications import claim_wanted, find_due
from crowdgame.play.notifications.models import PushNotification
from crowdgame.play.notifications.push_messages import build_headers, encrypt_message
from crowdgame.server.web.outgoing_request import ADDRESS_NOT_ALLOWED, Attempt, post
from voting.ballot_box.ballot_box import BallotBox

log = logging.getLogger(__name__)

SEND_PUSHES = "push.send_pushes"
Request = tuple[PushNotification, dict[str, str], bytes]  # with the headers and the body
GONE = {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
TEMPORARY = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}


def is_due() -> bool:
    return settings.PUSH_ENABLED and find_due(PushNotification).exists()


def send_due(box: BallotBox) -> None:
    """Send a small batch. What fails for now is due again after its lease."""
    batch: list[Request] = []
    for notification in claim_wanted(PushNotification, box):
        try:
            headers = build_headers(notification, box.now())
        except KeyError:  # SECRET_KEY has changed
            notification.address.delete()
        else:
            batch.append((notification, headers, encrypt_message(notification)))
    attempts = asyncio.run(_post_all(batch))
    accepted = range(HTTPStatus.OK, HTTPStatus.MULTIPLE_CHOICES)
    if refusals := {str(one.reason or one.status) for one in attempts if one.status not in accepted}:
        log.warning("push services did not accept messages: %s", ", ".join(sorted(refusals)))
    for (notification, *_), attempt in zip(batch, attempts, strict=True):
        _settle(notification, attempt)


async def _post_all(batch: Iterable[Request]) -> list[Attempt]:
    requests = (post(one.address.endpoint, headers, body) for one, headers, body in batch)
    return await asyncio.gather(*requests)


def _settle(notification: PushNotification, attempt: Attempt) -> None:
    """Delete what was sent or refused for good, or the subscription if it has ended."""
    status = attempt.status
    if status in GONE or attempt.reason == ADDRESS_NOT_ALLOWED:
        notification.address.delete()
    elif 0 < status < HTTPStatus.INTERNAL_SERVER_ERROR and status not in TEMPORARY:
        notification.delete()

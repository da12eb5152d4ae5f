"""What the API does with an organizer's webhooks."""

from typing import Any

import msgspec
from django.db.models import QuerySet
from django.http import Http404

from crowdgame.organizer.api import schemas
from crowdgame.organizer.api.models import ApiToken, Webhook
from crowdgame.organizer.api.reads import BadRequest, Query, find_event
from crowdgame.organizer.api.tokens import TokenAccess, access_to
from crowdgame.organizer.api.webhooks import URL_RULE, add_webhook, remove_webhook, resend
from crowdgame.server.web.outgoing_request import RefusedAddress

MAX_DELIVERIES = 100


def list_webhooks(token: ApiToken, query: Query, code: str) -> list[schemas.WebhookRow]:
    return [
        msgspec.convert(webhook, schemas.WebhookRow, from_attributes=True)
        for webhook in _webhooks(token, code)
    ]


def add(token: ApiToken, body: Any, code: str) -> schemas.AddedWebhook:
    """Raises NotPermitted, BadRequest for a URL that isn't allowed, or MatchError if there are too many."""
    try:
        webhook = add_webhook(_access(token, code), find_event(token, code), body.url, body.types)
    except RefusedAddress as refusal:
        raise BadRequest(str(URL_RULE)) from refusal
    return msgspec.convert(webhook, schemas.AddedWebhook, from_attributes=True)


def remove(token: ApiToken, query: Query, code: str, number: int) -> schemas.WebhookRow:
    webhook = _find(token, code, number)
    row = msgspec.convert(webhook, schemas.WebhookRow, from_attributes=True)
    remove_webhook(webhook, _access(token, code).name)
    return row


def list_deliveries(token: ApiToken, query: Query, code: str, number: int) -> list[schemas.DeliveryRow]:
    rows = _find(token, code, number).deliveries.order_by("-pk")[:MAX_DELIVERIES]
    return [msgspec.convert(row, schemas.DeliveryRow, from_attributes=True) for row in rows]


def resend_delivery(token: ApiToken, body: schemas.Resend, code: str, number: int) -> schemas.DeliveryRow:
    delivery = _find(token, code, number).deliveries.filter(message_id=body.message_id).first()
    if delivery is None:
        raise Http404("There is no such delivery.")
    resend(delivery)
    return msgspec.convert(delivery, schemas.DeliveryRow, from_attributes=True)


def _access(token: ApiToken, code: str) -> TokenAccess:
    who = access_to(token, find_event(token, code))
    if who is None:
        raise Http404("There is no such event.")
    return who


def _webhooks(token: ApiToken, code: str) -> QuerySet[Webhook]:
    return Webhook.objects.filter(event=find_event(token, code), user=token.user).order_by("pk")


def _find(token: ApiToken, code: str, number: int) -> Webhook:
    webhook = _webhooks(token, code).filter(pk=number).first()
    if webhook is None:
        raise Http404("There is no such webhook.")
    return webhook

"""What a push message says, and how long and how urgently a push service keeps it for a device."""

import os

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from django.utils.http import urlsafe_base64_decode
from django.utils.translation import gettext, override

from crowdgame.play.duels.descriptions import describe_duel
from crowdgame.play.notifications.email_messages import DAY_MS, build_subject, player_side
from crowdgame.play.notifications.models import PushNotification
from crowdgame.play.notifications.push_encryption import CURVE, SALT_BYTES, encrypt
from crowdgame.play.notifications.vapid import authorize
from crowdgame.play.notifications.vote_messages import format_deadline
from crowdgame.play.notifications.vote_news import VoteNews
from voting.turns.clocks import bank_ms


class PushMessage(msgspec.Struct, frozen=True):
    """What the service worker shows. A later one with the same `tag` replaces it. A tap opens `path`."""

    title: str
    body: str
    path: str
    tag: str
    lang: str


def build_message(notification: PushNotification) -> PushMessage:
    """Build the message in the language and the time zone of the device."""
    device, turn = notification.address, notification.turn
    event = turn.match.event
    with override(device.language):
        if device.event_id:
            text = gettext("Turn %(number)s: vote before") % {"number": turn.number}
            body, path = f"{text} {format_deadline(turn.closes_at, device.time_zone)}", f"/{event.code}"
        else:
            body, path = describe_duel(event.duel), f"/play/{event.code}"
        title = build_subject(device, turn, notification.news)
    return PushMessage(title, body, path, _topic(notification), device.language)


def build_headers(notification: PushNotification, now: int) -> dict[str, str]:
    """Raises KeyError if the subscription was made for a key that the server no longer has."""
    device = notification.address
    return {
        "authorization": authorize(device.endpoint, device.application_key),
        "content-encoding": "aes128gcm",
        "ttl": str(max(0, _ends_at(notification, now) - now) // 1000),
        "topic": _topic(notification),
        "urgency": "high" if notification.news == VoteNews.REMINDER else "normal",
    }


def encrypt_message(notification: PushNotification) -> bytes:
    device = notification.address
    receiver, secret = urlsafe_base64_decode(device.p256dh), urlsafe_base64_decode(device.auth)
    plain = msgspec.json.encode(build_message(notification))
    return encrypt(plain, receiver, secret, ec.generate_private_key(CURVE), os.urandom(SALT_BYTES))


def _topic(notification: PushNotification) -> str:
    return f"event-{notification.turn.match.event_id}"


def _ends_at(notification: PushNotification, now: int) -> int:
    """When nobody needs the message any more, in ms since 1970."""
    device, turn = notification.address, notification.turn
    if device.event_id:
        return turn.closes_at
    return now + DAY_MS if notification.news else turn.opens_at + bank_ms(turn, player_side(device, turn))

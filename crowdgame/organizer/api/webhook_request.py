"""Send a webhook as the Standard Webhooks specification says."""

import asyncio
import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable

from crowdgame.server.web import outgoing_request
from crowdgame.server.web.outgoing_request import Attempt

SECRET_PREFIX = "whsec_"  # noqa: S105 -- the specification's


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return a signature for the header `webhook-signature`."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    mac = hmac.digest(b64decode(secret.removeprefix(SECRET_PREFIX)), signed, "sha256")
    return f"v1,{b64encode(mac).decode()}"


def post(url: str, secrets: Iterable[str], message_id: str, body: bytes) -> Attempt:
    """Send a message, signed with each of the secrets."""
    now = int(time.time())
    headers = {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(now),
        "webhook-signature": " ".join(sign(secret, message_id, now, body) for secret in secrets),
    }
    return asyncio.run(outgoing_request.post(url, headers, body))

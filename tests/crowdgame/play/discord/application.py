"""A Discord application: it signs interactions and posts them to an event's endpoint, as Discord does."""

import json
import time
from itertools import count
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client

from crowdgame.play.discord.interaction import EPOCH_MS, MESSAGE_COMPONENT

COMMAND = 2
EPHEMERAL = {"flags": 64}
Interaction = dict[str, Any]
ids = count((round(time.time() * 1000) - EPOCH_MS) << 22, 1 << 22)


class Application:
    def __init__(self, seed: int) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.source = f"discord:{self._key.public_key().public_bytes_raw().hex()}"

    def sign(self, body: bytes, at: str) -> str:
        return self._key.sign(at.encode() + body).hex()

    def post(self, code: str, interaction: Interaction, age_s: int = 0) -> Any:
        body, at = json.dumps(interaction).encode(), str(round(time.time()) - age_s)
        return post(code, body, at, self.sign(body, at))

    def ask(self, code: str, interaction: Interaction) -> Any:
        """Return the reply."""
        response = self.post(code, interaction)
        assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")
        return json.loads(response.content)


def post(code: str, body: bytes, at: str, signature: str) -> Any:
    headers = {"X-Signature-Timestamp": at, "X-Signature-Ed25519": signature}
    client = Client(enforce_csrf_checks=True)
    return client.post(f"/discord/{code}", body, content_type="application/json", headers=headers)


def command(user: str = "11", **changes: Any) -> Interaction:
    """The slash command of a user in a server. Each interaction is a millisecond later than the last."""
    member = {"user": {"id": user, "username": "ann"}, "nick": "Ann"}
    return {"id": str(next(ids)), "type": COMMAND, "data": {"name": "vote"}, "member": member} | changes


def press(custom_id: str, user: str = "11", **changes: Any) -> Interaction:
    """A button that a user presses in a message that only this user sees."""
    data = {"custom_id": custom_id, "component_type": 2}
    return command(user, type=MESSAGE_COMPONENT, data=data, message=EPHEMERAL) | changes


def buttons(reply: Any) -> list[list[str]]:
    """The labels of the buttons in each row."""
    return [[button["label"] for button in row["components"]] for row in reply["data"]["components"]]

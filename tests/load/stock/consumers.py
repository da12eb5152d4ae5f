"""One consumer per phone: one Redis call per vote, and a channel-layer group for broadcasts."""

import json
from base64 import b64decode
from typing import Any
from uuid import uuid4
from zlib import decompress

from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings
from redis.asyncio import Redis

# redis-py 8 would otherwise fail concurrent votes beyond the first hundred.
MOST_CONNECTIONS = 2_000
redis = Redis.from_url(settings.REDIS_URL, socket_timeout=None, max_connections=MOST_CONNECTIONS)


class VoteConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    groups = ["audience"]

    async def connect(self) -> None:
        self.voter = uuid4().hex
        await self.accept()

    async def receive_json(self, content: dict[str, Any], **kwargs: Any) -> None:
        if content["type"] == "vote":
            await self.vote(content)
        elif content["type"] == "reveal":
            state = json.loads(decompress(b64decode(content["packed"])))
            await self.channel_layer.group_send("audience", {"type": "revealed", "state": state})

    async def vote(self, content: dict[str, Any]) -> None:
        await redis.hset(f"votes:{content['turn']}", self.voter, content["choice"])
        await self.send_json(
            {
                "type": "counted",
                "turn": content["turn"],
                "choice": content["choice"],
                "sequence": content["sequence"],
            }
        )

    async def revealed(self, event: dict[str, Any]) -> None:
        await self.send_json(event["state"])

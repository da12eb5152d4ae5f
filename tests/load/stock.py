"""A reference app for benchmarks: voting written as the Channels documentation teaches it.

One consumer per phone, one Redis call per vote, and a channel-layer group for broadcasts.
"""

import json
import os
from base64 import b64decode
from typing import Any
from uuid import uuid4
from zlib import decompress

from django.conf import settings

REDIS_URL = os.environ["REDIS_URL"]
# redis-py 8 would otherwise give up on an idle consumer's blocking read after 5 s.
HOST = {"address": REDIS_URL, "socket_timeout": None}
settings.configure(
    SECRET_KEY="of the stock app, which signs nothing",
    ALLOWED_HOSTS=["*"],
    INSTALLED_APPS=[f"django.contrib.{app}" for app in ("auth", "contenttypes", "sessions")] + ["channels"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    CHANNEL_LAYERS={
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [HOST]}}
    },
)

from django.core.asgi import get_asgi_application  # noqa: E402

django_application = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.generic.websocket import AsyncJsonWebsocketConsumer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.urls import path  # noqa: E402
from redis.asyncio import Redis  # noqa: E402

# redis-py 8 would otherwise fail concurrent votes beyond the first hundred.
redis = Redis.from_url(REDIS_URL, socket_timeout=None, max_connections=2_000)


class VoteConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    groups = ["audience"]

    async def connect(self) -> None:
        self.voter = uuid4().hex
        await self.accept()

    async def receive_json(self, content: dict[str, Any], **kwargs: Any) -> None:
        if content["type"] == "vote":
            await redis.hset(f"votes:{content['turn']}", self.voter, content["choice"])
            await self.send_json(content | {"type": "counted"})
        elif content["type"] == "reveal":
            state = json.loads(decompress(b64decode(content["packed"])))
            await self.channel_layer.group_send("audience", {"type": "revealed", "state": state})

    async def revealed(self, event: dict[str, Any]) -> None:
        await self.send_json(event["state"])


urls = URLRouter([path("ws/vote", VoteConsumer.as_asgi())])
application = ProtocolTypeRouter(
    {"http": django_application, "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(urls))}
)

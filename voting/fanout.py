"""One copy of each announcement to every gateway: the only user of the channel layer."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings


@dataclass(frozen=True, slots=True)
class Copy:
    event_id: int
    seq: int
    body: bytes


def _group(event_id: int) -> str:
    return f"event.{event_id}"


def publish(copies: list[Copy]) -> None:
    """Blocks until Redis has them; never call it on an event loop. Raises TimeoutError if it is frozen."""
    async_to_sync(_publish)(copies)


async def _publish(copies: list[Copy]) -> None:
    layer: Any = get_channel_layer()
    async with asyncio.timeout(settings.REDIS_TIMEOUT_S):
        for copy in copies:
            message = {"type": "announcement", "event_id": copy.event_id, "seq": copy.seq, "body": copy.body}
            await layer.group_send(_group(copy.event_id), message)


class Subscription:
    """A gateway's ear: the announcements of the events it has joined."""

    def __init__(self) -> None:
        self._layer: Any = get_channel_layer()
        self._channel = ""
        self._opening = asyncio.Lock()

    async def join(self, event_id: int) -> None:
        await self._layer.group_add(_group(event_id), await self._own_channel())

    async def leave(self, event_id: int) -> None:
        await self._layer.group_discard(_group(event_id), await self._own_channel())

    async def copies(self) -> AsyncIterator[Copy]:
        channel = await self._own_channel()
        while True:
            message = await self._layer.receive(channel)
            yield Copy(message["event_id"], message["seq"], message["body"])

    async def _own_channel(self) -> str:
        """One for all: who joins while another begins to listen must not get a second, unheard one."""
        async with self._opening:
            self._channel = self._channel or await self._layer.new_channel()
        return self._channel

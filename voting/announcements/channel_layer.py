"""One copy of each announcement to every gateway: the only user of the channel layer."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import redis
from channels.layers import get_channel_layer
from django.conf import settings

NOT_A_CHANGE = 0
FOR_CONSOLES = -1
RESTRICTIONS_CHANGED = -2


@dataclass(frozen=True, slots=True)
class LayerMessage:
    """A message for everybody of an event; `seq` is a change's number, or NO_CHANGE.

    With FOR_CONSOLES it is for the control rooms alone; with RULED it says nothing but that there is a new
    ruling about somebody. Gateways of a version before pass over both.
    """

    event_id: int
    seq: int
    body: bytes


def _group_name(event_id: int) -> str:
    return f"event.{event_id}"


def publish(copies: list[LayerMessage], within_s: float = settings.REDIS_TIMEOUT_S) -> None:
    """Blocks until Redis has them; never call it on an event loop. Raises TimeoutError if it is frozen."""
    asyncio.run_coroutine_threadsafe(_publish(copies, within_s), _event_loop()).result()


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """The layer keeps its connection as long as the loop: a reveal does not wait for a new one."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="fanout", daemon=True).start()
    return loop


os.register_at_fork(after_in_child=_event_loop.cache_clear)


async def _publish(copies: list[LayerMessage], within_s: float) -> None:
    layer: Any = get_channel_layer()
    async with asyncio.timeout(within_s):
        for copy in copies:
            message = {"type": "announcement", "event_id": copy.event_id, "seq": copy.seq, "body": copy.body}
            try:
                await layer.group_send(_group_name(copy.event_id), message)
            except redis.ConnectionError:  # the kept connection was dropped while nothing was sent
                await layer.group_send(_group_name(copy.event_id), message)


async def check_reachable() -> None:
    """Send to nobody, to see whether the layer takes it. Raises redis.RedisError, OSError, TimeoutError."""
    layer: Any = get_channel_layer()
    async with asyncio.timeout(settings.REDIS_TIMEOUT_S):
        await layer.group_send("nobody", {"type": "nothing"})


class Subscription:
    """A gateway's ear: the announcements of the events it has joined."""

    def __init__(self) -> None:
        self._layer: Any = get_channel_layer()
        self._channel = ""
        self._opening = asyncio.Lock()

    async def join(self, event_id: int) -> None:
        await self._layer.group_add(_group_name(event_id), await self._own_channel())

    async def leave(self, event_id: int) -> None:
        await self._layer.group_discard(_group_name(event_id), await self._own_channel())

    async def copies(self) -> AsyncIterator[LayerMessage]:
        channel = await self._own_channel()
        while True:
            message = await self._layer.receive(channel)
            yield LayerMessage(message["event_id"], message["seq"], message["body"])

    async def _own_channel(self) -> str:
        """One for all: who joins while another begins to listen must not get a second, unheard one."""
        async with self._opening:
            self._channel = self._channel or await self._layer.new_channel()
        return self._channel

"""Channel layer (Redis pub/sub): one copy of each announcement to every gateway. Only this module uses it."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import redis
from channels.layers import get_channel_layer
from django.conf import settings

NOT_A_CHANGE = 0
RESTRICTIONS_CHANGED = -2
ROLE_CHANGED = -3
DROP_SHOWN = -4
SEVERAL_EVENTS = -5
ALL_EVENTS = 0


@dataclass(frozen=True, slots=True)
class LayerMessage:
    """A message to everyone in an event.

    `seq` is the number of a change, or NOT_A_CHANGE. With RESTRICTIONS_CHANGED the message is empty: gateways
    reload the restrictions. With ROLE_CHANGED it is the id of a user whose role in the event has changed, or
    whose account has, for ALL_EVENTS. With DROP_SHOWN it is for displays only. With SEVERAL_EVENTS it holds
    messages of several events, which gateways receive one by one. Gateways of older versions ignore all four.
    """

    event_id: int
    seq: int
    body: bytes


def _pack(copies: Sequence[LayerMessage]) -> LayerMessage:
    return LayerMessage(ALL_EVENTS, SEVERAL_EVENTS, msgspec.msgpack.encode(copies))


def unpack(copy: LayerMessage) -> list[LayerMessage]:
    """Return the messages of a message for SEVERAL_EVENTS, or any other one alone."""
    if copy.seq != SEVERAL_EVENTS:
        return [copy]
    return msgspec.msgpack.decode(copy.body, type=list[LayerMessage])


def _group_name(event_id: int) -> str:
    return f"event.{event_id}"


def publish(copies: Sequence[LayerMessage], within_s: float = settings.REDIS_TIMEOUT_S) -> None:
    """Send messages and wait until Redis has them. Never call this on an event loop.

    Messages of several events are sent as one, because the layer sends one at a time. Raises TimeoutError
    after `within_s` seconds, redis.RedisError or OSError.
    """
    if len({copy.event_id for copy in copies}) > 1:
        copies = [_pack(copies)]
    asyncio.run_coroutine_threadsafe(_publish(copies, within_s), _event_loop()).result()


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """An event loop in a thread. The layer's connection lives as long, so that a reveal needs no new one."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="fanout", daemon=True).start()
    return loop


os.register_at_fork(after_in_child=_event_loop.cache_clear)


async def _publish(copies: Sequence[LayerMessage], within_s: float) -> None:
    layer: Any = get_channel_layer()
    async with asyncio.timeout(within_s):
        for copy in copies:
            message = {"type": "announcement", "event_id": copy.event_id, "seq": copy.seq, "body": copy.body}
            try:
                await layer.group_send(_group_name(copy.event_id), message)
            except redis.ConnectionError:  # the idle connection was dropped
                await layer.group_send(_group_name(copy.event_id), message)


async def check_reachable() -> None:
    """Send to an empty group. Raises redis.RedisError, OSError or TimeoutError if the layer is down."""
    layer: Any = get_channel_layer()
    async with asyncio.timeout(settings.REDIS_TIMEOUT_S):
        await layer.group_send("nobody", {"type": "nothing"})


class Subscription:
    """A gateway's subscription: receives the announcements of the events it has joined."""

    def __init__(self) -> None:
        self._layer: Any = get_channel_layer()
        self._channel = ""
        self._opening = asyncio.Lock()

    async def join(self, event_id: int) -> None:
        """Subscribe to an event, or to messages for ALL_EVENTS. Raises redis.RedisError or OSError."""
        await self._layer.group_add(_group_name(event_id), await self._own_channel())

    async def leave(self, event_id: int) -> None:
        """Unsubscribe from an event. Raises redis.RedisError or OSError."""
        await self._layer.group_discard(_group_name(event_id), await self._own_channel())

    async def copies(self) -> AsyncIterator[LayerMessage]:
        """Yield messages without end. Raises redis.RedisError or OSError if the connection is lost."""
        channel = await self._own_channel()
        while True:
            message = await self._layer.receive(channel)
            copy = LayerMessage(message["event_id"], message["seq"], message["body"])
            for one in unpack(copy):
                yield one

    async def _own_channel(self) -> str:
        """The gateway's channel. The lock keeps concurrent joins from creating a second, unread one."""
        async with self._opening:
            self._channel = self._channel or await self._layer.new_channel()
        return self._channel

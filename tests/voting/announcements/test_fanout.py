"""A subscription to the channel layer works in any order of joining and listening."""

import asyncio

import pytest

from voting.announcements import channel_layer as layer
from voting.announcements.channel_layer import LayerMessage, Subscription

pytestmark = pytest.mark.usefixtures("valkey_url")
TIMEOUT_S = 5


async def receive_one(subscription: Subscription) -> LayerMessage:
    return await anext(aiter(subscription.copies()))


async def publish(copy: LayerMessage) -> None:
    await asyncio.to_thread(layer.publish, [copy])


def test_subscription_that_listens_before_joining_receives() -> None:
    async def scenario() -> LayerMessage:
        subscription = Subscription()
        listening = asyncio.create_task(receive_one(subscription))
        await asyncio.sleep(0)
        await subscription.join(7)
        await publish(LayerMessage(7, 1, b"body"))
        return await asyncio.wait_for(listening, TIMEOUT_S)

    assert asyncio.run(scenario()) == LayerMessage(7, 1, b"body")


def test_subscription_receives_only_joined_events() -> None:
    async def scenario() -> LayerMessage:
        subscription = Subscription()
        await subscription.join(7)
        await subscription.join(8)
        await subscription.leave(8)
        for copy in (
            LayerMessage(8, 1, b"left"),
            LayerMessage(9, 1, b"foreign"),
            LayerMessage(7, 1, b"ours"),
        ):
            await publish(copy)
        return await asyncio.wait_for(receive_one(subscription), TIMEOUT_S)

    assert asyncio.run(scenario()).body == b"ours"

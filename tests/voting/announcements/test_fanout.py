"""A subscription to the channel layer works in any order of joining and listening."""

import asyncio

import pytest

from voting.announcements import layer
from voting.announcements.layer import Copy, Subscription

pytestmark = pytest.mark.usefixtures("valkey_url")
TIMEOUT_S = 5


async def receive_one(subscription: Subscription) -> Copy:
    return await anext(aiter(subscription.copies()))


async def publish(copy: Copy) -> None:
    await asyncio.to_thread(layer.publish, [copy])


def test_subscription_that_listens_before_joining_receives() -> None:
    async def scenario() -> Copy:
        subscription = Subscription()
        listening = asyncio.create_task(receive_one(subscription))
        await asyncio.sleep(0)
        await subscription.join(7)
        await publish(Copy(7, 1, b"body"))
        return await asyncio.wait_for(listening, TIMEOUT_S)

    assert asyncio.run(scenario()) == Copy(7, 1, b"body")


def test_subscription_receives_only_joined_events() -> None:
    async def scenario() -> Copy:
        subscription = Subscription()
        await subscription.join(7)
        await subscription.join(8)
        await subscription.leave(8)
        for copy in (Copy(8, 1, b"left"), Copy(9, 1, b"foreign"), Copy(7, 1, b"ours")):
            await publish(copy)
        return await asyncio.wait_for(receive_one(subscription), TIMEOUT_S)

    assert asyncio.run(scenario()).body == b"ours"

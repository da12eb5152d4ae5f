"""The channel layer hears, whatever is asked of a subscription first."""

import asyncio

import pytest

from voting.announcements import layer
from voting.announcements.layer import Copy, Subscription

pytestmark = pytest.mark.usefixtures("valkey_url")
PATIENCE_S = 5


async def receive_one(subscription: Subscription) -> Copy:
    return await anext(aiter(subscription.copies()))


async def publish(copy: Copy) -> None:
    await asyncio.to_thread(layer.publish, [copy])


def test_who_listens_before_joining_hears() -> None:
    async def scene() -> Copy:
        subscription = Subscription()
        listening = asyncio.create_task(receive_one(subscription))
        await asyncio.sleep(0)
        await subscription.join(7)
        await publish(Copy(7, 1, b"told"))
        return await asyncio.wait_for(listening, PATIENCE_S)

    assert asyncio.run(scene()) == Copy(7, 1, b"told")


def test_only_events_joined_are_heard() -> None:
    async def scene() -> Copy:
        subscription = Subscription()
        await subscription.join(7)
        await subscription.join(8)
        await subscription.leave(8)
        for copy in (Copy(8, 1, b"left"), Copy(9, 1, b"foreign"), Copy(7, 1, b"ours")):
            await publish(copy)
        return await asyncio.wait_for(receive_one(subscription), PATIENCE_S)

    assert asyncio.run(scene()).body == b"ours"

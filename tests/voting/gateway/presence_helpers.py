"""The presence of a gateway, run beside a test, and the turnouts a socket received."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from tests.voting.gateway_helpers import FakeSocket
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import BoxClock
from voting.gateway.presence import Presence


def connected(socket: FakeSocket) -> list[Any]:
    """The connected counts of the turnouts that the socket received."""
    messages = (msgspec.json.decode(frame) for frame in socket.frames)
    return [message["connected"] for message in messages if message["type"] == "turnout.counted"]


def with_presence(box: AsyncBallotBox, scenario: Callable[[Presence], Awaitable[None]]) -> None:
    async def held() -> None:
        await scenario(Presence("a", box, BoxClock()))
        await box.close()

    asyncio.run(held())

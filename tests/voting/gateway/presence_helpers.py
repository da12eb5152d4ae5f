"""The presence of a gateway, run beside a test, and the turnouts a socket received."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from tests.voting.gateway_helpers import FakeSocket
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import BoxClock
from voting.gateway.event_room import EventRoom
from voting.gateway.presence import Presence


def turnouts(socket: FakeSocket) -> list[Any]:
    """The turnouts that the socket received."""
    messages = (msgspec.json.decode(frame) for frame in socket.frames)
    return [message for message in messages if message["type"] == "turnout.counted"]


def connected(socket: FakeSocket) -> list[Any]:
    return [turnout["connected"] for turnout in turnouts(socket)]


def send_updates(
    room: EventRoom,
    *steps: Callable[[], object],
    box: type[AsyncBallotBox] = AsyncBallotBox,
    phones: bool = True,
    teams: bool = False,
) -> None:
    """Send the turnout after each step, as a gateway does after its heartbeats."""

    async def scenario() -> None:
        own = box()
        presence = Presence("a", own, BoxClock())
        for step in steps or (int,):
            step()
            await presence.send_updates(room, phones=phones, teams=teams)
        await own.close()

    asyncio.run(scenario())

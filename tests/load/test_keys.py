"""Thousands of phones behind one IP address: rate limits apply per phone."""

import asyncio
import time
from contextlib import suppress
from random import Random

import pytest
import uvloop
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd import Crowd, CrowdPlan, CrowdProgress
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from tests.server import Server
from voting.protocol import CloseCode

PHONES = 5_000


@pytest.mark.nightly
def test_5000_phones_join_from_one_address_and_are_not_affected_by_a_flood(server: Server) -> None:
    context = RehearsalContext(
        code=server.ask("event", lobby="open")["code"],
        address=ServerAddress(phone_address(server.http)),
        profile="spread",
        clock=ServerClock(time.perf_counter),
        ledger=RehearsalLedger(1),
        rng=Random(1),
    )

    async def join() -> None:
        full = asyncio.Event()

        def on_progress(progress: CrowdProgress) -> None:
            if context.connected == PHONES:
                full.set()

        crowd = Crowd(CrowdPlan(PHONES, joins_per_second=1_000), context, on_progress)
        playing = asyncio.create_task(crowd.play())
        await asyncio.wait_for(full.wait(), 120)
        assert await flood(context.address.url) == CloseCode.TOO_MANY_FRAMES
        await asyncio.sleep(1)
        assert context.connected == PHONES
        crowd.stop()
        await playing

    uvloop.run(join())
    assert context.ledger.joined == len(set(context.tokens.values())) == PHONES
    assert str(int(CloseCode.TOO_MANY_FRAMES)) not in context.ledger.closed
    assert not context.ledger.away
    assert not context.ledger.errors


async def flood(url: str) -> int | None:
    """Flood from the same address; return the close code."""
    async with connect(url, compression=None) as socket:
        with suppress(ConnectionClosed):
            for number in range(60):
                await socket.send(f'{{"type": "clock.ask", "sent": {number}}}')
            while True:
                await socket.recv()
    return socket.close_code

"""Thousands of phones behind one IP address: rate limits apply per phone, with any kind of admission."""

import asyncio
import time
from collections.abc import Sequence
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
from crowdgame.rehearsal.join_keys import KeySource
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from tests.server import Server
from voting.protocol import CloseCode

pytestmark = pytest.mark.nightly


def new_context(server: Server, code: str, keys: Sequence[str] = ()) -> RehearsalContext:
    return RehearsalContext(
        code=code,
        address=ServerAddress(phone_address(server.http)),
        profile="spread",
        clock=ServerClock(time.perf_counter),
        ledger=RehearsalLedger(1),
        rng=Random(1),
        find_key=KeySource(keys),
    )


def fill(context: RehearsalContext, phones: int) -> float:
    """Join all phones; return the seconds. One flooding client then does not affect them."""

    async def come() -> float:
        began, took = time.monotonic(), 0.0
        full = asyncio.Event()

        def on_progress(progress: CrowdProgress) -> None:
            if context.connected == phones:
                full.set()

        crowd = Crowd(CrowdPlan(phones, joins_per_second=1_000), context, on_progress)
        playing = asyncio.create_task(crowd.play())
        try:
            await asyncio.wait_for(full.wait(), 120)
        except TimeoutError:
            book = context.ledger
            pytest.fail(f"{context.connected} have joined: {book.errors} {book.closed} {book.away}")
        took = time.monotonic() - began
        assert await flood(context) == CloseCode.TOO_MANY_FRAMES
        await asyncio.sleep(1)
        assert context.connected == phones
        crowd.stop()
        await playing
        return took

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(come())


async def flood(context: RehearsalContext) -> int | None:
    """Flood from the same address; return the close code."""
    async with connect(context.address.url, compression=None) as socket:
        with suppress(ConnectionClosed):
            for number in range(60):
                await socket.send(f'{{"type": "clock.ask", "sent": {number}}}')
            while True:
                await socket.recv()
    return socket.close_code


@pytest.mark.nightly
def test_5000_phones_join_from_one_address(server: Server) -> None:
    made = server.ask("event", lobby="open")
    context = new_context(server, made["code"])
    took = fill(context, 5_000)
    print(f"5,000 phones from one address joined after {took:.1f} s")
    assert context.ledger.joined == len(set(context.tokens.values())) == 5_000
    assert str(int(CloseCode.TOO_MANY_FRAMES)) not in context.ledger.closed
    assert not context.ledger.away
    assert not context.ledger.errors


def test_2000_tickets_join_from_one_address(server: Server) -> None:
    made = server.ask("event", lobby="open", admission="tickets")
    tickets = server.ask("tickets", event_id=made["id"], count=2_000)
    context = new_context(server, made["code"], tickets)
    took = fill(context, 2_000)
    print(f"2,000 tickets from one address joined after {took:.1f} s")
    assert len({token.split(".")[1] for token in context.tokens.values()}) == 2_000
    assert set(context.ledger.errors) <= {"key_needed"}
    teams = list(context.teams.values())
    assert abs(teams.count(1) - teams.count(2)) <= 1

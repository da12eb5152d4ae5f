"""Thousands of phones behind one address: nobody is held against the others, whatever lets them in."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from random import Random

import pytest
import uvloop
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from crowdgame.rehearsal.address import Address
from crowdgame.rehearsal.crowd import Crowd, Plan, Progress
from crowdgame.rehearsal.hall import Hall
from crowdgame.rehearsal.keys import Keys
from crowdgame.rehearsal.ledger import Ledger
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from tests.stack import House
from voting.protocol import CloseCode

IN_WITHIN_S = 120
SHOUTS = 60
JOINS_A_SECOND = 1_000


def hall_of(house: House, code: str, keys: Sequence[str] = ()) -> Hall:
    return Hall(
        code=code,
        address=Address(phone_address(house.http)),
        profile="spread",
        clock=ServerClock(time.perf_counter),
        ledger=Ledger(1),
        rng=Random(1),
        key_of=Keys(keys),
    )


def fill(hall: Hall, phones: int) -> float:
    """Seconds until they are all in; then somebody shouts, and they are all still in."""

    async def come() -> float:
        began, took = time.monotonic(), 0.0
        full = asyncio.Event()

        def look(progress: Progress) -> None:
            if hall.connected == phones:
                full.set()

        crowd = Crowd(Plan(phones, joins_a_second=JOINS_A_SECOND), hall, look)
        playing = asyncio.create_task(crowd.play())
        try:
            await asyncio.wait_for(full.wait(), IN_WITHIN_S)
        except TimeoutError:
            book = hall.ledger
            pytest.fail(f"{hall.connected} are in: {book.errors} {book.closed} {book.away}")
        took = time.monotonic() - began
        assert await shout(hall) == CloseCode.TOO_MANY_FRAMES
        await asyncio.sleep(1)
        assert hall.connected == phones
        crowd.stop()
        await playing
        return took

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(come())


async def shout(hall: Hall) -> int | None:
    """The close code of one who sends far too much, from the same address."""
    async with connect(hall.address.url, compression=None) as socket:
        with suppress(ConnectionClosed):
            for number in range(SHOUTS):
                await socket.send(f'{{"type": "clock.ask", "sent": {number}}}')
            while True:
                await socket.recv()
    return socket.close_code


def test_five_thousand_phones_at_one_address(house: House) -> None:
    made = house.ask("event", lobby="open")
    hall = hall_of(house, made["code"])
    took = fill(hall, 5_000)
    print(f"5,000 phones of one address are in after {took:.1f} s")
    assert hall.ledger.joined == len(set(hall.tokens.values())) == 5_000
    assert str(int(CloseCode.TOO_MANY_FRAMES)) not in hall.ledger.closed
    assert not hall.ledger.away
    assert not hall.ledger.errors


def test_two_thousand_tickets_at_one_address(house: House) -> None:
    made = house.ask("event", lobby="open", admission="tickets")
    tickets = house.ask("tickets", event_id=made["id"], count=2_000)
    hall = hall_of(house, made["code"], tickets)
    took = fill(hall, 2_000)
    print(f"2,000 tickets of one address are in after {took:.1f} s")
    assert len({token.split(".")[1] for token in hall.tokens.values()}) == 2_000
    assert set(hall.ledger.errors) <= {"key_needed"}
    teams = list(hall.teams.values())
    assert abs(teams.count(1) - teams.count(2)) <= 1

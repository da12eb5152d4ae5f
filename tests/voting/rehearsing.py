"""A simulated crowd that plays in the small hall, and its book held against the hall's."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from random import Random

import pytest

from crowdgame.rehearsal.address import Address
from crowdgame.rehearsal.crowd import Crowd, Plan
from crowdgame.rehearsal.hall import Hall
from crowdgame.rehearsal.ledger import Ledger
from crowdgame.rehearsal.profile import Profile
from crowdgame.rehearsal.report import Report
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from tests.voting.small_hall import SmallHall

PHONES = 12
PLAN = Plan(phones=PHONES, joins_a_second=500, turns=2)
Happening = Callable[[SmallHall], Awaitable[None]]


def a_hall(url: str, code: str = "HALL", profile: Profile = "burst") -> Hall:
    clock = ServerClock(time.perf_counter)
    return Hall(code, Address(phone_address(url)), profile, clock, Ledger(), Random(1))


def rehearse(small: SmallHall, plan: Plan = PLAN, happening: Happening | None = None) -> Report:
    """Let a crowd play in the small hall, while `happening` goes on."""

    async def evening() -> Report:
        async with small.open():
            crowd = Crowd(plan, a_hall(small.url), lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            async with asyncio.timeout(90):
                await everyone_is_in(small, plan.phones)
                server = asyncio.create_task(small.play(plan.turns or 1))
                if happening:
                    await happening(small)
                report = await playing
            server.cancel()
            return report

    return asyncio.run(evening())


@pytest.fixture(autouse=True)
def no_phone_breaks(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """An exception in a phone ends its connection, and would look like the server's doing."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while True:
            if so():
                return
            await asyncio.sleep(0.01)


async def everyone_is_in(small: SmallHall, phones: int) -> None:
    await until(lambda: len(small.sockets) >= phones)


def assert_the_books_agree(report: Report, small: SmallHall) -> None:
    """What was acknowledged is what was sealed, voter by voter."""
    for entry in report.turns:
        held = {report.voters[phone]: tuple(last) for phone, last in entry.acknowledged.items()}
        assert held == {voter: ballot[1:] for voter, ballot in small.sealed[entry.turn].items()}
        assert entry.tallied == len(held)


async def until_voted(small: SmallHall, ballots: int) -> None:
    await until(lambda: len(small.ballots) >= ballots)

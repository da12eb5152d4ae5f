"""A simulated crowd that plays on the fake server, and a comparison of its ledger with the server's."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from random import Random

import pytest

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd import Crowd, CrowdPlan
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.profile import Profile
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from tests.voting.fake_server import FakeServer

PHONES = 12
PLAN = CrowdPlan(phones=PHONES, joins_per_second=500, turns=2)
Disturbance = Callable[[FakeServer], Awaitable[None]]


def new_context(url: str, code: str = "HALL", profile: Profile = "burst") -> RehearsalContext:
    clock = ServerClock(time.perf_counter)
    return RehearsalContext(
        code, ServerAddress(phone_address(url)), profile, clock, RehearsalLedger(), Random(1)
    )


def rehearse(
    fake: FakeServer, plan: CrowdPlan = PLAN, disturbance: Disturbance | None = None
) -> RehearsalReport:
    """Let a simulated crowd play on the fake server while `disturbance` runs."""

    async def rehearsal() -> RehearsalReport:
        async with fake.open():
            crowd = Crowd(plan, new_context(fake.url), lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            async with asyncio.timeout(90):
                await wait_for_all_joined(fake, plan.phones)
                server = asyncio.create_task(fake.play(plan.turns or 1))
                if disturbance:
                    await disturbance(fake)
                report = await playing
            server.cancel()
            return report

    return asyncio.run(rehearsal())


@pytest.fixture(autouse=True)
def no_phone_breaks(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """An exception in a simulated phone closes its connection, which would look like a server fault."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while True:
            if holds():
                return
            await asyncio.sleep(0.01)


async def wait_for_all_joined(fake: FakeServer, phones: int) -> None:
    await until(lambda: len(fake.sockets) >= phones)


def assert_ledgers_agree(report: RehearsalReport, fake: FakeServer) -> None:
    """The sealed ballots equal the acknowledged ones, voter by voter."""
    for entry in report.turns:
        held = {report.voters[phone]: tuple(last) for phone, last in entry.acknowledged.items()}
        assert held == {voter: ballot[1:] for voter, ballot in fake.sealed[entry.turn].items()}
        assert entry.tallied == len(held)


async def until_voted(fake: FakeServer, ballots: int) -> None:
    await until(lambda: len(fake.ballots) >= ballots)

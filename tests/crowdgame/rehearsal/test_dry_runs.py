"""When a gateway's own small rehearsal ends, and that it is the only one of its event."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis import Redis

from crowdgame.rehearsal import dry_run_lease, dry_runs
from crowdgame.rehearsal.dry_run_lease import DryRunLease
from crowdgame.rehearsal.dry_runs import DryRuns, Stage, stop_dry_run
from crowdgame.rehearsal.keys import system_ms
from games.matches import MatchError
from tests.voting.fake_server import FakeServer
from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.protocol import RehearsalUpdated

PHONES = 4
ENDS_WITHIN_S = 10

pytestmark = pytest.mark.usefixtures("valkey_url")


@dataclass
class House:
    """Two gateways, of which one plays; at the other a control room notes what it is told."""

    lease: DryRunLease
    fake: FakeServer = field(default_factory=lambda: FakeServer(window_ms=60_000))
    runs: DryRuns = field(default_factory=DryRuns)
    others: DryRuns = field(default_factory=DryRuns)
    received: list[RehearsalUpdated] = field(default_factory=list)
    open: bool = True
    watched: bool = True
    draining: bool = False

    @property
    def stage(self) -> Stage:
        return Stage(1, "HALL", self.lease, lambda: self.draining, system_ms)

    async def start(self, runs: DryRuns) -> None:
        await runs.start(self.stage, ("127.0.0.1", self.fake.port), PHONES)

    async def watch(self) -> None:
        while self.open:
            received = await self.lease.watch(1) if self.watched else None
            self.received += [received] if received else []
            await asyncio.sleep(0.02)


def run_conversation(conversation: Callable[[House], Awaitable[None]]) -> House:
    async def held() -> House:
        box = AsyncBallotBox()
        house = House(DryRunLease(box))
        watching = asyncio.create_task(house.watch())
        try:
            async with house.fake.open():
                await conversation(house)
        finally:
            house.open = False  # a cancellation that meets an answer of the box would be lost
            await watching
            await box.close()
        return house

    return asyncio.run(held())


async def until(so: Callable[[], object]) -> None:
    async with asyncio.timeout(ENDS_WITHIN_S):
        while not so():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def all_in(house: House) -> None:
    await house.start(house.runs)
    await until(lambda: any(received.connected == PHONES for received in house.received))


async def over(house: House) -> RehearsalUpdated:
    """What was told last, once all phones went home."""
    await until(lambda: not house.fake.sockets and not house.runs.playing)
    house.watched = True
    await until(lambda: house.received and not house.received[-1].running)
    return house.received[-1]


def test_a_dry_run_ends_when_it_is_stopped_at_any_gateway() -> None:
    async def conversation(house: House) -> None:
        await all_in(house)
        await stop_dry_run(1, house.lease)
        received = await over(house)
        assert (received.phones, received.connected, received.lost) == (PHONES, PHONES, 0)
        with pytest.raises(MatchError, match="No rehearsal is running"):
            await stop_dry_run(1, house.lease)

    run_conversation(conversation)


def test_there_is_one_dry_run_an_event_and_another_once_it_is_over() -> None:
    async def conversation(house: House) -> None:
        await all_in(house)
        for runs in (house.runs, house.others):
            with pytest.raises(MatchError, match="running already"):
                await house.start(runs)
        assert not house.others.playing
        await stop_dry_run(1, house.lease)
        await over(house)
        await house.start(house.others)
        await asyncio.sleep(2 * dry_runs.RENEWED_EVERY_S)
        assert house.others.playing  # the old stop was not meant for it

    run_conversation(conversation)


def test_of_two_that_are_started_at_once_one_plays() -> None:
    async def conversation(house: House) -> None:
        starts = [house.start(runs) for runs in (house.runs, house.others) for _ in range(3)]
        refusals = [bool(refusal) for refusal in await asyncio.gather(*starts, return_exceptions=True)]
        assert sorted(refusals) == [False] + [True] * 5
        assert len(house.runs.playing | house.others.playing) == 1

    run_conversation(conversation)


def test_a_dry_run_whose_event_was_taken_meanwhile_makes_way(valkey_url: str) -> None:
    async def conversation(house: House) -> None:
        await all_in(house)
        other = RehearsalUpdated(
            phones=77,
            connected=0,
            sent=0,
            acknowledged=0,
            lost=0,
            ack_p99_ms=None,
            reveal_p99_ms=None,
            running=True,
        )
        with Redis.from_url(valkey_url) as redis:
            while await house.lease.renew(1, "other", other) is dry_run_lease.LeaseAnswer.TAKEN:
                redis.flushall()
        await until(lambda: not house.runs.playing)
        assert await house.lease.watch(1) == other

    run_conversation(conversation)


def test_a_dry_run_ends_when_its_gateway_does() -> None:
    async def conversation(house: House) -> None:
        await all_in(house)
        house.draining = True
        await over(house)
        with pytest.raises(MatchError, match="about to restart"):
            await house.start(house.runs)

    run_conversation(conversation)


def test_a_dry_run_that_nobody_watches_anywhere_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    async def conversation(house: House) -> None:
        await all_in(house)
        await asyncio.sleep(2 * dry_runs.RENEWED_EVERY_S)
        assert house.runs.playing
        house.watched = False
        monkeypatch.setattr(dry_run_lease, "UNWATCHED_MS", 400)
        await over(house)

    run_conversation(conversation)


def test_a_dry_run_does_not_last_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    async def conversation(house: House) -> None:
        await all_in(house)
        monkeypatch.setattr(dry_runs, "LONGEST_S", 0.1)
        await over(house)

    run_conversation(conversation)


def test_a_dry_run_that_finds_no_door_ends_in_words(caplog: pytest.LogCaptureFixture) -> None:
    async def conversation(house: House) -> None:
        house.fake.port = 9
        await house.start(house.runs)
        await over(house)

    run_conversation(conversation)
    assert "the rehearsal of HALL ends: nobody can join" in caplog.text


@pytest.mark.parametrize("server", [None, ("/run/gateway.sock", None)])
def test_a_gateway_without_an_address_says_so_and_takes_no_event(server: Any) -> None:
    async def conversation(house: House) -> None:
        with pytest.raises(MatchError, match="no address"):
            await house.runs.start(house.stage, server, PHONES)
        await all_in(house)

    run_conversation(conversation)


def test_a_gateway_at_a_long_address_is_found() -> None:
    async def conversation(house: House) -> None:
        await house.runs.start(house.stage, ("::1", 9), PHONES)
        assert house.runs.playing
        await over(house)

    run_conversation(conversation)

"""Dry runs: when one ends, and that an event has at most one."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis import Redis

from crowdgame.rehearsal import dry_run_lease, dry_runs
from crowdgame.rehearsal.dry_run_lease import DryRunLease
from crowdgame.rehearsal.dry_runs import DryRunContext, DryRuns, stop_dry_run
from crowdgame.rehearsal.join_keys import system_ms
from games.matches import MatchError
from tests.voting.fake_server import FakeServer
from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.protocol import RehearsalUpdated

PHONES = 4
ENDS_WITHIN_S = 10

pytestmark = pytest.mark.usefixtures("valkey_url")


@dataclass
class DryRunHarness:
    """Two gateways: one runs the dry run, a console at the other records its updates."""

    lease: DryRunLease
    fake: FakeServer = field(default_factory=lambda: FakeServer(window_ms=60_000))
    runs: DryRuns = field(default_factory=DryRuns)
    others: DryRuns = field(default_factory=DryRuns)
    received: list[RehearsalUpdated] = field(default_factory=list)
    open: bool = True
    watched: bool = True
    draining: bool = False

    @property
    def stage(self) -> DryRunContext:
        return DryRunContext(1, "HALL", self.lease, lambda: self.draining, system_ms)

    async def start(self, runs: DryRuns) -> None:
        await runs.start(self.stage, ("127.0.0.1", self.fake.port), PHONES)

    async def watch(self) -> None:
        while self.open:
            received = await self.lease.watch(1) if self.watched else None
            self.received += [received] if received else []
            await asyncio.sleep(0.02)


def run_conversation(conversation: Callable[[DryRunHarness], Awaitable[None]]) -> DryRunHarness:
    async def run() -> DryRunHarness:
        box = AsyncBallotBox()
        harness = DryRunHarness(DryRunLease(box))
        watching = asyncio.create_task(harness.watch())
        try:
            async with harness.fake.open():
                await conversation(harness)
        finally:
            harness.open = False  # a cancellation during a Redis reply would get lost
            await watching
            await box.close()
        return harness

    return asyncio.run(run())


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(ENDS_WITHIN_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def start_and_join(harness: DryRunHarness) -> None:
    await harness.start(harness.runs)
    await until(lambda: any(received.connected == PHONES for received in harness.received))


async def wait_until_over(harness: DryRunHarness) -> RehearsalUpdated:
    """The last update, after all phones have disconnected."""
    await until(lambda: not harness.fake.sockets and not harness.runs.playing)
    harness.watched = True
    await until(lambda: harness.received and not harness.received[-1].running)
    return harness.received[-1]


def test_dry_run_stops_from_any_gateway() -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await start_and_join(harness)
        await stop_dry_run(1, harness.lease)
        received = await wait_until_over(harness)
        assert (received.phones, received.connected, received.lost) == (PHONES, PHONES, 0)
        with pytest.raises(MatchError, match="No rehearsal is running"):
            await stop_dry_run(1, harness.lease)

    run_conversation(conversation)


def test_event_has_one_dry_run_at_a_time() -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await start_and_join(harness)
        for runs in (harness.runs, harness.others):
            with pytest.raises(MatchError, match="already running"):
                await harness.start(runs)
        assert not harness.others.playing
        await stop_dry_run(1, harness.lease)
        await wait_until_over(harness)
        await harness.start(harness.others)
        await asyncio.sleep(2 * dry_runs.RENEWED_EVERY_S)
        assert harness.others.playing  # the earlier stop does not apply to it

    run_conversation(conversation)


def test_concurrent_dry_run_starts_leave_one_running() -> None:
    async def conversation(harness: DryRunHarness) -> None:
        starts = [harness.start(runs) for runs in (harness.runs, harness.others) for _ in range(3)]
        refusals = [bool(refusal) for refusal in await asyncio.gather(*starts, return_exceptions=True)]
        assert sorted(refusals) == [False] + [True] * 5
        assert len(harness.runs.playing | harness.others.playing) == 1

    run_conversation(conversation)


def test_dry_run_ends_when_lease_is_taken_over(valkey_url: str) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await start_and_join(harness)
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
            while await harness.lease.renew(1, "other", other) is dry_run_lease.LeaseAnswer.TAKEN:
                redis.flushall()
        await until(lambda: not harness.runs.playing)
        assert await harness.lease.watch(1) == other

    run_conversation(conversation)


def test_dry_run_ends_when_gateway_drains() -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await start_and_join(harness)
        harness.draining = True
        await wait_until_over(harness)
        with pytest.raises(MatchError, match="about to restart"):
            await harness.start(harness.runs)

    run_conversation(conversation)


def test_unwatched_dry_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await start_and_join(harness)
        await asyncio.sleep(2 * dry_runs.RENEWED_EVERY_S)
        assert harness.runs.playing
        harness.watched = False
        monkeypatch.setattr(dry_run_lease, "UNWATCHED_MS", 400)
        await wait_until_over(harness)

    run_conversation(conversation)


def test_dry_run_ends_after_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await start_and_join(harness)
        monkeypatch.setattr(dry_runs, "MAX_DURATION_S", 0.1)
        await wait_until_over(harness)

    run_conversation(conversation)


def test_dry_run_without_reachable_server_ends_with_log_message(caplog: pytest.LogCaptureFixture) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        harness.fake.port = 9
        await harness.start(harness.runs)
        await wait_until_over(harness)

    run_conversation(conversation)
    assert "rehearsal of HALL failed: nobody can join" in caplog.text


@pytest.mark.parametrize("address", [None, ("/run/gateway.sock", None)])
def test_dry_run_without_server_address_is_refused(address: Any) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        with pytest.raises(MatchError, match="can't connect to itself"):
            await harness.runs.start(harness.stage, address, PHONES)
        await start_and_join(harness)

    run_conversation(conversation)


def test_dry_run_accepts_ipv6_address() -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await harness.runs.start(harness.stage, ("::1", 9), PHONES)
        assert harness.runs.playing
        await wait_until_over(harness)

    run_conversation(conversation)

"""Dry runs: when one ends, and that an event has at most one."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis import Redis

from crowdgame.rehearsal import dry_run, dry_run_lease
from crowdgame.rehearsal.dry_run_lease import DryRunContext, DryRunLease
from crowdgame.rehearsal.dry_runs import DryRuns, stop_dry_run
from crowdgame.rehearsal.join_keys import system_ms
from tests.crowdgame.rehearsal.conftest import FaultProxy, until
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import event_key
from voting.matches import MatchError
from voting.protocol import RehearsalUpdated

PHONES = 4
OTHER = RehearsalUpdated(
    phones=77, connected=0, sent=0, acknowledged=0, lost=0, ack_p99_ms=None, reveal_p99_ms=None, running=True
)

pytestmark = pytest.mark.usefixtures("valkey_url")


@dataclass
class DryRunHarness:
    """Two gateways: one runs the dry run, a console at the other records its updates."""

    lease: DryRunLease
    proxy: FaultProxy
    runs: DryRuns = field(default_factory=DryRuns)
    others: DryRuns = field(default_factory=DryRuns)
    received: list[RehearsalUpdated] = field(default_factory=list)
    open: bool = True
    watched: bool = True
    draining: bool = False

    async def start(self, runs: DryRuns, address: Any = ()) -> None:
        stage = DryRunContext(1, self.proxy.event["code"], self.lease, lambda: self.draining, system_ms)
        await runs.start(stage, ("127.0.0.1", self.proxy.port) if address == () else address, PHONES)

    async def start_and_join(self) -> None:
        await self.start(self.runs)
        await until(lambda: any(received.connected == PHONES for received in self.received))

    async def watch(self) -> None:
        while self.open:
            received = await self.lease.watch(1) if self.watched else None
            self.received += [received] if received else []
            await asyncio.sleep(0.02)

    async def wait_until_over(self) -> RehearsalUpdated:
        """The last update, after all phones have disconnected."""
        await until(lambda: not self.proxy.phones and not self.runs.playing)
        self.watched = True
        await until(lambda: self.received and not self.received[-1].running)
        return self.received[-1]


Conversation = Callable[[DryRunHarness], Awaitable[None]]
Converse = Callable[[Conversation], None]


@pytest.fixture
def converse(proxy: FaultProxy) -> Converse:
    """Run a conversation with a harness whose event has an open lobby."""

    async def run(conversation: Conversation) -> None:
        box = AsyncBallotBox()
        harness = DryRunHarness(DryRunLease(box), proxy)
        watching = asyncio.create_task(harness.watch())
        try:
            async with proxy.open(), asyncio.timeout(30):
                await conversation(harness)
        finally:
            harness.open = False  # a cancellation during a Redis reply would get lost
            await watching
            await box.close()

    proxy.make_event()
    return lambda conversation: asyncio.run(run(conversation))


@pytest.mark.nightly
def test_concurrent_dry_run_starts_after_expired_lease_leave_one_running(
    converse: Converse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gateway that held the lease was killed."""

    async def conversation(harness: DryRunHarness) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(dry_run_lease, "KEPT_MS", 300)
            await harness.lease.renew(1, "killed", OTHER)
        assert await harness.lease.watch(1) == OTHER
        await asyncio.sleep(0.4)
        assert await harness.lease.watch(1) is None
        starts = [harness.start(runs) for runs in (harness.runs, harness.others) for _ in range(3)]
        refusals = [bool(refusal) for refusal in await asyncio.gather(*starts, return_exceptions=True)]
        assert sorted(refusals) == [False] + [True] * 5
        assert len(harness.runs.playing | harness.others.playing) == 1

    converse(conversation)


def test_event_has_one_dry_run_at_a_time(converse: Converse) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await harness.start_and_join()
        for runs in (harness.runs, harness.others):
            with pytest.raises(MatchError, match="already running"):
                await harness.start(runs)
        assert not harness.others.playing
        await stop_dry_run(1, harness.lease)
        received = await harness.wait_until_over()
        assert (received.phones, received.connected, received.lost) == (PHONES, PHONES, 0)
        with pytest.raises(MatchError, match="No rehearsal is running"):
            await stop_dry_run(1, harness.lease)
        await harness.start(harness.others)
        await asyncio.sleep(2 * dry_run.RENEWED_EVERY_S)
        assert harness.others.playing  # the earlier stop does not apply to it

    converse(conversation)


def test_dry_run_renews_expired_lease_until_it_is_taken_over(valkey_url: str, converse: Converse) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await harness.start_and_join()
        with Redis.from_url(valkey_url) as redis:
            assert redis.delete(event_key(1, "rehearsal")) == 1
            await asyncio.sleep(2 * dry_run.RENEWED_EVERY_S)
            renewed = await harness.lease.watch(1)
            assert renewed
            assert (renewed.connected, renewed.running) == (PHONES, True)
            while await harness.lease.renew(1, "other", OTHER) is dry_run_lease.LeaseAnswer.TAKEN:
                redis.flushall()
        await until(lambda: not harness.runs.playing)
        assert await harness.lease.watch(1) == OTHER

    converse(conversation)


@pytest.mark.parametrize(
    "cause",
    ["unwatched", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("draining", "time limit"))],
)
def test_dry_run_ends_by_itself(cause: str, converse: Converse, monkeypatch: pytest.MonkeyPatch) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await harness.start_and_join()
        await asyncio.sleep(2 * dry_run.RENEWED_EVERY_S)
        assert harness.runs.playing
        if cause == "unwatched":
            harness.watched = False
            monkeypatch.setattr(dry_run_lease, "UNWATCHED_MS", 400)
        elif cause == "draining":
            harness.draining = True
        else:
            monkeypatch.setattr(dry_run, "MAX_DURATION_S", 0.1)
        await harness.wait_until_over()

    converse(conversation)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_dry_run_without_reachable_server_ends_with_log_message(
    address: str, converse: Converse, caplog: pytest.LogCaptureFixture
) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        await harness.start(harness.runs, (address, 9))
        assert harness.runs.playing
        await harness.wait_until_over()

    converse(conversation)
    assert "failed: nobody can join" in caplog.text


@pytest.mark.parametrize(
    ("draining", "address", "words"),
    [
        (True, (), "about to restart"),
        (False, None, "can't connect to itself"),
        (False, ("/run/gateway.sock", None), "can't connect to itself"),
    ],
)
def test_refused_dry_run_takes_no_lease(draining: bool, address: Any, words: str, converse: Converse) -> None:
    async def conversation(harness: DryRunHarness) -> None:
        harness.draining = draining
        with pytest.raises(MatchError, match=words):
            await harness.start(harness.runs, address)
        harness.draining = False
        await harness.start_and_join()

    converse(conversation)

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace
from redis import Redis

from crowdgame.rehearsal import dry_run, dry_run_lease
from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.dry_run_lease import DryRunContext, DryRunLease
from crowdgame.rehearsal.dry_runs import DryRuns, stop_dry_run
from crowdgame.rehearsal.join_keys import system_ms
from tests.crowdgame.rehearsal.conftest import FaultProxy, until
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import event_key
from voting.matches import MatchError
from voting.protocol import BallotCounted, RehearsalUpdated

PHONES = 4
OTHER = RehearsalUpdated(
    phones=77, connected=0, sent=0, acknowledged=0, lost=0, ack_p99_ms=None, reveal_p99_ms=None, running=True
)

pytestmark = pytest.mark.usefixtures("valkey_url")


@dataclass
class Gateways:
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


@asynccontextmanager
async def two_gateways(proxy: FaultProxy) -> AsyncIterator[Gateways]:
    proxy.make_event()
    box = AsyncBallotBox()
    gateways = Gateways(DryRunLease(box), proxy)
    watching = asyncio.create_task(gateways.watch())
    try:
        async with proxy.open(), asyncio.timeout(30):
            yield gateways
    finally:
        gateways.open = False  # a cancellation during a Redis reply would get lost
        await watching
        await box.close()


@pytest.mark.nightly
async def test_one_of_concurrent_dry_runs_starts(proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gateway that held the lease was killed."""
    async with two_gateways(proxy) as gateways:
        with monkeypatch.context() as patch:
            patch.setattr(dry_run_lease, "KEPT_MS", 300)
            await gateways.lease.renew(1, "killed", OTHER)
        assert await gateways.lease.watch(1) == OTHER
        await asyncio.sleep(0.4)
        assert await gateways.lease.watch(1) is None
        starts = [gateways.start(runs) for runs in (gateways.runs, gateways.others) for _ in range(3)]
        refusals = [bool(refusal) for refusal in await asyncio.gather(*starts, return_exceptions=True)]
        assert sorted(refusals) == [False] + [True] * 5
        assert len(gateways.runs.playing | gateways.others.playing) == 1


async def test_event_has_one_dry_run_at_a_time(proxy: FaultProxy) -> None:
    """One that is refused takes no lease."""
    async with two_gateways(proxy) as gateways:
        gateways.draining = True
        with pytest.raises(MatchError, match="about to restart"):
            await gateways.start(gateways.runs)
        gateways.draining = False
        for address in (None, ("/run/gateway.sock", None)):
            with pytest.raises(MatchError, match="can't connect to itself"):
                await gateways.start(gateways.runs, address)
        await gateways.start_and_join()
        for runs in (gateways.runs, gateways.others):
            with pytest.raises(MatchError, match="already running"):
                await gateways.start(runs)
        assert not gateways.others.playing
        await stop_dry_run(1, gateways.lease)
        received = await gateways.wait_until_over()
        assert (received.phones, received.connected, received.lost) == (PHONES, PHONES, 0)
        with pytest.raises(MatchError, match="No rehearsal is running"):
            await stop_dry_run(1, gateways.lease)
        await gateways.start(gateways.others)
        await asyncio.sleep(2 * dry_run.RENEWED_EVERY_S)
        assert gateways.others.playing  # the earlier stop does not apply to it


async def test_update_has_ballots_and_times_of_the_ledger() -> None:
    """A ballot is lost, and an acknowledged one is missing from the tally."""
    box = AsyncBallotBox()
    lease = DryRunLease(box)
    context = DryRunContext(1, "NOPE", lease, bool, system_ms)
    run = dry_run.DryRun(context, ServerAddress("ws://[::1]:9"), PHONES)
    ledger, run._context.teams[0] = run._context.ledger, 1
    ledger.sent, ledger.lost = 5, 1
    ledger.ack_ms.add(3)
    ledger.reveal_ms.add(40)
    ledger.count_ballot(0, BallotCounted(turn=1, choice=4, sequence=1), newest=True)
    ledger.turn(1).tallies, ledger.turn(1).ballots = {1: (0,) * 7}, {1: 0}
    run._compare()
    await run.take_lease()
    update = replace(OTHER, phones=PHONES, sent=5, acknowledged=1, lost=2, ack_p99_ms=3, reveal_p99_ms=40)
    assert await lease.watch(1) == update
    await box.close()


async def test_dry_run_renews_lease_until_it_is_taken_over(valkey_url: str, proxy: FaultProxy) -> None:
    async with two_gateways(proxy) as gateways:
        await gateways.start_and_join()
        with Redis.from_url(valkey_url) as redis:
            assert redis.delete(event_key(1, "rehearsal")) == 1
            await asyncio.sleep(2 * dry_run.RENEWED_EVERY_S)
            renewed = await gateways.lease.watch(1)
            assert renewed
            assert (renewed.connected, renewed.running) == (PHONES, True)
            while await gateways.lease.renew(1, "other", OTHER) is dry_run_lease.LeaseAnswer.TAKEN:
                redis.flushall()
        await until(lambda: not gateways.runs.playing)
        assert await gateways.lease.watch(1) == OTHER


@pytest.mark.parametrize(
    "cause",
    [
        "unwatched",
        "unreachable",
        *(pytest.param(one, marks=pytest.mark.nightly) for one in ("draining", "time limit")),
    ],
)
async def test_dry_run_ends_by_itself(
    cause: str, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with two_gateways(proxy) as gateways:
        if cause == "unreachable":
            await gateways.start(gateways.runs, ("::1", 9))
        else:
            await gateways.start_and_join()
            await asyncio.sleep(2 * dry_run.RENEWED_EVERY_S)
        assert gateways.runs.playing
        gateways.watched = cause != "unwatched"
        gateways.draining = cause == "draining"
        if cause == "unwatched":
            monkeypatch.setattr(dry_run_lease, "UNWATCHED_MS", 400)
        elif cause == "time limit":
            monkeypatch.setattr(dry_run, "MAX_DURATION_S", 0.1)
        await gateways.wait_until_over()
    assert ("failed: nobody can join" in caplog.text) is (cause == "unreachable")

"""A simulated crowd at a real gateway, behind a proxy that injects faults into single connections."""

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd import Crowd, CrowdPlan
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from crowdgame.server.laptop.network import LOOPBACK
from tests.crowd_helpers import sealed_ballots
from tests.server import Server
from voting.protocol import BallotCast, PhoneJoin, PhoneMessage, ToPhone

PHONES = 12
PLAN = CrowdPlan(phones=PHONES, joins_per_second=500, turns=1)
HOUR_MS = 3_600_000
Answer = Callable[[str, BallotCast], Sequence[ToPhone] | None]


class FaultProxy:
    """Forwards frames between phones and the gateway; the gateway's clock appears to be an hour ahead.

    `answer` may answer a voter's ballot in place of the gateway: with several messages or none.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.event: dict[str, Any] = {"code": "NOPE"}
        self.answer: Answer = lambda voter, cast: None
        self.phones: dict[ServerConnection, str] = {}
        self.joins: list[PhoneJoin] = []
        self.casts: list[tuple[str, BallotCast]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def make_event(self, **choices: Any) -> None:
        """By default, a turn ends as soon as all phones have voted."""
        terms = {"lobby": "open", "window_s": 60, "pace": "instant", "close_early": True} | choices
        self.event = {**self.server.ask("event", **terms), "window_s": terms["window_s"]}

    def begin(self) -> None:
        self.server.ask("close_after", event_id=self.event["id"], ms=self.event["window_s"] * 1000)

    @asynccontextmanager
    async def open(self, port: int = 0) -> AsyncIterator[None]:
        async with serve(self._serve, LOOPBACK, port, ping_interval=None, close_timeout=0.2) as listener:
            self.port = next(iter(listener.sockets)).getsockname()[1]
            yield

    async def until_voted(self, voters: int = PHONES) -> None:
        await until(lambda: len({voter for voter, _ in self.casts}) >= voters)

    def assert_ballots_are_sealed(self, report: RehearsalReport, phones: int = PHONES) -> None:
        """All phones voted in each turn, and the acknowledged ballots are the sealed ones, voter by voter."""
        assert report.turns
        for entry in report.turns:
            sealed = sealed_ballots(self.server, entry.turn)
            held = {report.voters[phone]: ballot for phone, ballot in entry.acknowledged.items()}
            assert held == {voter: (ballot.choice, ballot.sequence) for voter, ballot in sealed.items()}
            assert entry.tallied == len(held) == phones

    async def _serve(self, phone: ServerConnection) -> None:
        async with connect(f"{self.server.ws}/phone", compression=None, proxy=None) as gateway:
            to_phone = asyncio.create_task(self._forward_to_phone(gateway, phone))
            with suppress(ConnectionClosed):
                async for frame in phone:
                    replies = self._answer(phone, msgspec.json.decode(frame, type=PhoneMessage))
                    if replies is None:
                        await gateway.send(frame)
                    for reply in replies or ():
                        await phone.send(msgspec.json.encode(reply).decode())
            self.phones.pop(phone, None)
        await to_phone

    async def _forward_to_phone(self, gateway: ClientConnection, phone: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            async for frame in gateway:
                text = re.sub(r'(?<=at":)\d{13}\b', lambda ms: str(int(ms[0]) + HOUR_MS), str(frame))
                if text.startswith('{"type":"phone.welcomed"'):
                    self.phones[phone] = json.loads(text)["you"]["token"].split(".")[1]
                await phone.send(text)
        await phone.close(gateway.close_code or 1000)

    def _answer(self, phone: ServerConnection, message: PhoneMessage) -> Sequence[ToPhone] | None:
        if isinstance(message, PhoneJoin):
            self.joins.append(message)
        if not isinstance(message, BallotCast):
            return None
        self.casts.append((self.phones[phone], message))
        return self.answer(self.phones[phone], message)


@pytest.fixture(autouse=True)
def leaves_soon_after_its_last_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crowd would watch the last reveal for seconds."""
    monkeypatch.setattr("crowdgame.rehearsal.crowd.LAST_REVEAL_S", 1.0)
    monkeypatch.setattr("crowdgame.rehearsal.crowd.TICK_S", 0.1)


@pytest.fixture
def proxy(server: Server) -> Iterator[FaultProxy]:
    yield FaultProxy(server)
    server.ask("abort_all_matches")


@pytest.fixture
def no_phone_breaks(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """An exception in a simulated phone closes its connection, which would look like a server fault."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


def new_context(url: str, code: str = "NOPE", tokens: Sequence[str] = ()) -> RehearsalContext:
    clock, address = ServerClock(time.perf_counter), ServerAddress(phone_address(url))
    context = RehearsalContext(code, address, "burst", clock, RehearsalLedger(), Random(1))
    context.tokens = dict(enumerate(tokens))
    return context


@dataclass(frozen=True)
class PlayingCrowd:
    crowd: Crowd
    context: RehearsalContext
    report: "asyncio.Task[RehearsalReport]"


@asynccontextmanager
async def playing_crowd(
    proxy: FaultProxy, plan: CrowdPlan = PLAN, tokens: Sequence[str] = (), *, joins: bool = True
) -> AsyncIterator[PlayingCrowd]:
    """A crowd at the proxied event, once all its phones have joined."""
    async with proxy.open(proxy.port), asyncio.timeout(90):
        context = new_context(proxy.url, proxy.event["code"], tokens)
        crowd = Crowd(plan, context, lambda progress: None)
        playing = PlayingCrowd(crowd, context, asyncio.create_task(crowd.play()))
        if joins:
            await until(lambda: context.connected == plan.phones)
        yield playing


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110  the condition has no event to wait for
            await asyncio.sleep(0.01)

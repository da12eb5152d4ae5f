"""The heartbeat of a gateway: outages, slow consumers and rehearsal updates."""

import asyncio
import logging
import threading
from functools import partial

import msgspec
import pytest
from django.db import OperationalError
from redis import Redis

from tests.voting.gateway.presence_helpers import connected
from tests.voting.gateway_helpers import (
    FakeSocket,
    join_room,
    make_room,
    open_room,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import new_event
from voting.ballot_box.box_types import event_key
from voting.gateway.gateway import Gateway
from voting.gateway.supplements import send_rehearsal
from voting.protocol import RehearsalUpdated

pytestmark = pytest.mark.django_db(transaction=True)


def test_heartbeat_continues_while_database_hangs(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    event, screen, back = new_event(), FakeSocket(), threading.Event()

    def hang_then_fail(_: object) -> dict[int, int]:
        back.wait(30)
        raise OperationalError("it is away")

    def is_connected(number: int) -> bool:
        return [number, 0] in connected(screen)

    async def scenario(gateway: Gateway) -> None:
        room = await open_room(gateway, event.code, screen)
        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", hang_then_fail)
        try:
            for number in (1, 2, 3):
                join_room(room, voter(f"v{number}", 1))
                await until(partial(is_connected, number))
        finally:
            back.set()
        await until(lambda: "it is away" in caplog.text)

    with_gateway(scenario)


def test_heartbeat_failure_of_one_room_affects_no_other(
    valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    events, screen = [new_event(), new_event()], FakeSocket()

    def spoil() -> None:
        with Redis.from_url(valkey_url) as redis:
            redis.set(event_key(events[0].pk, "gateways"), "spoilt")

    async def scenario(gateway: Gateway) -> None:
        await open_room(gateway, events[0].code)
        room = await open_room(gateway, events[1].code)
        await asyncio.to_thread(spoil)
        await until(lambda: "heartbeat failed: " in caplog.text)
        for socket in (screen, voter("a", 2)):
            join_room(room, socket)
        await until(lambda: [0, 1] in connected(screen))

    with_gateway(scenario)


def test_gateway_logs_number_of_slow_consumers(valkey_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(gateway: Gateway) -> None:
        gateway.slow_consumers += 3
        await until(lambda: [vars(record).get("sockets") for record in caplog.records] == [3])
        await asyncio.sleep(1.2)

    with caplog.at_level(logging.INFO, "voting"):
        with_gateway(scenario)
    assert [vars(record).get("sockets") for record in caplog.records] == [3]


def rehearsed(*, running: bool) -> RehearsalUpdated:
    counts = dict.fromkeys(("phones", "connected", "sent", "acknowledged", "lost"), 1)
    return RehearsalUpdated(**counts, ack_p99_ms=None, reveal_p99_ms=None, running=running)


@pytest.mark.parametrize("last", [None, rehearsed(running=False)])
def test_send_rehearsal_updates_consoles_and_ends_once(
    last: RehearsalUpdated | None, valkey_url: str
) -> None:
    console, screen = FakeSocket(), FakeSocket()
    room = make_room(new_event().pk, console, screen)
    room.sockets.consoles.add(console)
    on = rehearsed(running=True)
    for update in (None, on, on, last, last, None, None, on):
        send_rehearsal(room, update)
    assert [msgspec.json.decode(frame)["running"] for frame in console.frames] == [True, True, False, True]
    assert screen.frames == []
    room.leave(console, None)
    send_rehearsal(room, on)
    assert len(console.frames) == 4

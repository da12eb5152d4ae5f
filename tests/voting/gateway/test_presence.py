import asyncio
import logging
import threading
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, transaction
from msgspec.structs import replace
from redis import Redis

from tests.voting.gateway.test_turnout_reports import connected
from tests.voting.gateway_helpers import (
    FakeSocket,
    in_a_thread,
    join_room,
    new_room,
    open_gateway,
    open_room,
    playing,
    until,
    voter,
)
from tests.voting.match_helpers import new_event, start_open
from voting import protocol
from voting.announcements.outbox import announce, latest_seqs, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key
from voting.ballot_box.intake import Slot
from voting.counting.ballots import Ballot
from voting.gateway.drain import LEAST_RETRY_MS
from voting.gateway.supplements import send_rehearsal
from voting.models import Announcement, Event
from voting.protocol import CloseCode, RehearsalUpdated

pytestmark = pytest.mark.django_db(transaction=True)


async def test_heartbeat_continues_while_database_hangs(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    event, screen, back = await in_a_thread(new_event), FakeSocket(), threading.Event()

    def hang_then_fail(_: object) -> dict[int, int]:
        back.wait(30)
        raise OperationalError("it is away")

    def is_connected(number: int) -> bool:
        return [number, 0] in connected(screen)

    async with open_gateway() as gateway:
        room = await open_room(gateway, event.code, screen)
        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", hang_then_fail)
        try:
            for number in (1, 2, 3):
                join_room(room, voter(f"v{number}", 1))
                await until(partial(is_connected, number))
        finally:
            back.set()
        await until(lambda: "it is away" in caplog.text)


async def test_failed_or_frozen_heartbeat_of_one_room_delays_no_other(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing, *frozen, sound = [await in_a_thread(new_event) for _ in range(4)]
    stuck, asked = asyncio.Event(), list[int]()

    def spoil() -> None:
        with Redis.from_url(valkey_url) as redis:
            redis.set(event_key(failing.pk, "gateways"), "spoilt")

    async with open_gateway() as gateway:
        for event in (failing, *frozen, sound):
            await gateway.room(event.code)
        heartbeat = gateway.box.heartbeat

        async def freeze(event_id: int, *args: Any) -> Any:
            asked.append(event_id)
            if event_id in {event.pk for event in frozen}:
                await stuck.wait()
            return await heartbeat(event_id, *args)

        await asyncio.to_thread(spoil)
        monkeypatch.setattr(gateway.box, "heartbeat", freeze)
        await until(lambda: asked.count(sound.pk) >= 3)
        assert [asked.count(event.pk) for event in frozen] == [1, 1]
        assert "heartbeat failed: " in caplog.text
        stuck.set()
        await until(lambda: min(asked.count(event.pk) for event in frozen) >= 2)


async def test_gateway_logs_slow_consumers(valkey_url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "voting")
    async with open_gateway() as gateway:
        gateway.slow_consumers += 3
        await until(lambda: [vars(record).get("sockets") for record in caplog.records] == [3])
        await asyncio.sleep(1.2)
    assert [vars(record).get("sockets") for record in caplog.records] == [3]


def test_send_rehearsal_updates_consoles_only_and_ends_once() -> None:
    console, screen, room = FakeSocket(), FakeSocket(), new_room(1, 0, playing(1))
    room.sockets.screens |= {console, screen}
    room.sockets.consoles.add(console)
    counts = dict.fromkeys(("phones", "connected", "sent", "acknowledged", "lost"), 1)
    on = RehearsalUpdated(**counts, ack_p99_ms=None, reveal_p99_ms=None, running=True)
    for update in (None, on, on, None, None, on, replace(on, running=False), None, None):
        send_rehearsal(room, update)
    running = [message["running"] for message in console.received]
    assert running == [True, True, False, True, False]
    assert screen.frames == []
    room.leave(console, None)
    send_rehearsal(room, on)
    assert len(console.frames) == 5


def rename(event: Event, name: str) -> None:
    Event.objects.filter(pk=event.pk).update(name=name)
    announce(event.pk, protocol.EventEdited, 1)


async def test_rolled_back_database_resets_room_and_closes_sockets(valkey_url: str) -> None:
    event, sockets = await in_a_thread(new_event), [FakeSocket(), voter("a", 1), voter("b", 2)]
    for name in ("One", "Two", "Three", "Four"):
        await in_a_thread(partial(rename, event, name))

    def roll_back() -> None:
        Announcement.objects.filter(event=event, seq__gt=1).delete()
        Event.objects.filter(pk=event.pk).update(seq=1, name="One")

    def announce_again() -> None:
        rename(event, "Another")
        relay(event.pk)

    def lose_announcements() -> None:
        with transaction.atomic():
            rename(event, "Last")
            Announcement.objects.all().delete()

    async with open_gateway() as gateway:
        room = await open_room(gateway, event.code, *sockets)
        await in_a_thread(roll_back)
        await until(lambda: all(socket.close_calls for socket in sockets))
        assert (room.seq, room.state.name) == (1, "One")
        join_room(room, back := FakeSocket())
        await in_a_thread(announce_again)
        await until(lambda: back.seqs)
        assert (back.seqs, room.seq, room.state.name) == ([2], 2, "Another")
        await in_a_thread(lose_announcements)
        await until(lambda: room.state.name == "Last")
        assert back.seqs == [2, 3]
    assert {code for socket in sockets for code, _ in socket.close_calls} == {CloseCode.RESTARTING}
    assert all(within_ms for socket in sockets for _, within_ms in socket.close_calls)


async def test_announcement_during_poll_is_kept(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.gateway.subscriber.POLL_S", 3600)  # the test polls itself
    event, socket = await in_a_thread(new_event), FakeSocket()
    await in_a_thread(lambda: rename(event, "One"))
    async with open_gateway() as gateway:
        loop, room = asyncio.get_running_loop(), await open_room(gateway, event.code, socket)

        def poll_slowly(events: Any) -> dict[int, int]:
            found = latest_seqs(events)
            rename(event, "Two")
            asyncio.run_coroutine_threadsafe(gateway.subscriber.catch_up(room), loop).result(30)
            return found

        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", poll_slowly)
        await gateway.subscriber.catch_up_all()
        assert (room.state.name, socket.close_calls, socket.seqs) == ("Two", [], [2])


class Caster:
    def __init__(self) -> None:
        self.codes: list[int] = []

    def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
        self.codes.append(code)


async def test_drain_closes_sockets_and_answers_ballots(box: BallotBox, valkey_url: str) -> None:
    turn = await in_a_thread(lambda: start_open(box))
    event_id, caster = turn.match.event_id, Caster()
    sockets = [voter(f"v{number}", 1 + number % 2) for number in range(20)] + [FakeSocket()]

    def gateways_in_box() -> int:
        with Redis.from_url(valkey_url) as redis:
            return int(redis.hlen(event_key(event_id, "gateways")))

    async with open_gateway() as gateway:
        room = await open_room(gateway, turn.match.event.code, *sockets)
        assert room.poll is not None
        assert await asyncio.to_thread(gateways_in_box) == 1
        for number in range(300):
            room.poll.queue_for("v").add(Ballot(f"v{number}", "red", 1, 1), caster)
        await asyncio.gather(gateway.drain(10), gateway.drain(10))
        assert caster.codes == [1] * 300
        assert await asyncio.to_thread(gateways_in_box) == 0
        await asyncio.sleep(1.2)
        assert await asyncio.to_thread(gateways_in_box) == 0
        await gateway.drain(10)
    [close_call] = {close_call for socket in sockets for close_call in socket.close_calls}
    assert close_call[0] == CloseCode.RESTARTING
    assert (close_call[1] or 0) >= LEAST_RETRY_MS
    assert {len(socket.close_calls) for socket in sockets} == {1}


async def test_drain_stops_waiting_for_unreachable_box_at_timeout(box: BallotBox, valkey_url: str) -> None:
    event = await in_a_thread(new_event)
    async with open_gateway() as gateway:
        await gateway.room(event.code)
        gateway.intake.new_queue(Slot(event.pk, 1, 1)).add(Ballot("a", "red", 1, 1), Caster())
        await gateway.box.close()
        async with asyncio.timeout(20):
            await gateway.drain(0.3)

"""A gateway during failures of the database and the ballot box: steps that `test_recovery` does not make."""

import asyncio
from typing import Any

import pytest
from django.db import transaction

from tests.voting.gateway_helpers import (
    FakeSocket,
    in_a_thread,
    join_room,
    open_room,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import new_event
from voting import protocol
from voting.announcements.outbox import announce, latest_seqs, relay
from voting.gateway.gateway import Gateway
from voting.models import Announcement, Event
from voting.protocol import CloseCode

pytestmark = pytest.mark.django_db(transaction=True)


def rename(event: Event, name: str) -> None:
    Event.objects.filter(pk=event.pk).update(name=name)
    announce(event.pk, protocol.EventEdited, 1)


def test_rolled_back_database_resets_room_and_closes_sockets(valkey_url: str) -> None:
    event, sockets = new_event(), [FakeSocket(), voter("a", 1), voter("b", 2)]
    for name in ("One", "Two", "Three", "Four"):
        rename(event, name)

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

    async def scenario(gateway: Gateway) -> None:
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

    with_gateway(scenario)
    assert {code for socket in sockets for code, _ in socket.close_calls} == {CloseCode.RESTARTING}
    assert all(within_ms for socket in sockets for _, within_ms in socket.close_calls)


def test_announcement_received_during_poll_is_kept(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sequence numbers that it loads may be older than an announcement received meanwhile."""
    monkeypatch.setattr("voting.gateway.subscriber.POLL_S", 3600)  # the test polls itself
    event, socket = new_event(), FakeSocket()
    rename(event, "One")

    async def scenario(gateway: Gateway) -> None:
        loop, room = asyncio.get_running_loop(), await open_room(gateway, event.code, socket)

        def poll_slowly(events: Any) -> dict[int, int]:
            found = latest_seqs(events)
            rename(event, "Two")
            asyncio.run_coroutine_threadsafe(gateway.subscriber.catch_up(room), loop).result(30)
            return found

        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", poll_slowly)
        await gateway.subscriber.catch_up_all()
        assert (room.state.name, socket.close_calls, socket.seqs) == ("Two", [], [2])

    with_gateway(scenario)


def test_frozen_box_of_one_room_delays_no_other_heartbeat(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, stuck, asked = [new_event() for _ in range(4)], asyncio.Event(), []

    async def scenario(gateway: Gateway) -> None:
        for event in events:
            await gateway.room(event.code)
        heartbeat = gateway.box.heartbeat

        async def frozen_for_all_but_the_last(event_id: int, *args: Any) -> Any:
            asked.append(event_id)
            if event_id != events[-1].pk:
                await stuck.wait()
            return await heartbeat(event_id, *args)

        monkeypatch.setattr(gateway.box, "heartbeat", frozen_for_all_but_the_last)
        await until(lambda: asked.count(events[-1].pk) >= 3)
        assert [asked.count(event.pk) for event in events[:-1]] == [1, 1, 1]
        stuck.set()
        await until(lambda: min(asked.count(event.pk) for event in events) >= 2)

    with_gateway(scenario)

"""The event rooms of a gateway: lookup by code, expiry and the clock of the box."""

import asyncio
import time
from typing import Any

import pytest
from redis import Redis

from tests.deploy.processes import wait_until
from tests.voting.gateway_helpers import FakeSocket, cast, join_room, until, voter, with_gateway
from tests.voting.match_helpers import new_event, open_now, start, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway import gateway as gateways
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import IDLE_ROOM_TTL_S, Gateway

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_gateway_has_one_room_per_code(valkey_url: str) -> None:
    event = new_event()

    async def scenario(gateway: Gateway) -> None:
        rooms = await asyncio.gather(*[gateway.room(code) for code in [event.code, event.code.lower()] * 5])
        assert len({id(room) for room in rooms}) == 1
        assert await gateway.room("ZZZZ") is None

    with_gateway(scenario)


@pytest.mark.django_db(transaction=True)
def test_gateway_drops_idle_room_unless_requested_again(valkey_url: str) -> None:
    event, other = new_event(), new_event()

    async def scenario(gateway: Gateway) -> None:
        kept, dropped = await gateway.room(event.code), await gateway.room(other.code)
        assert kept is not None
        assert dropped is not None
        for room in (kept, dropped):
            room.asked_at = time.monotonic() - IDLE_ROOM_TTL_S - 1
        assert await gateway.room(event.code) is kept
        await until(lambda: other.code not in gateway._rooms)
        assert await gateway.room(event.code) is kept
        assert await gateway.room(other.code) is not dropped

    with_gateway(scenario)


@pytest.mark.django_db(transaction=True)
def test_gateway_now_follows_clock_of_box(box: BallotBox) -> None:
    event = new_event()

    async def scenario(gateway: Gateway) -> None:
        before = await asyncio.to_thread(box.now)
        asked = time.monotonic()
        await gateway.room(event.code)
        half_round_trip_ms = (time.monotonic() - asked) * 1000 / 2
        known, after = gateway.now(), await asyncio.to_thread(box.now)
        assert before - 50 <= known <= after + half_round_trip_ms + 50

    with_gateway(scenario)


@pytest.mark.django_db(transaction=True)
def test_early_close_is_requested_once_all_connected_voted(box: BallotBox, valkey_url: str) -> None:
    turn = start(box, close_early=True)
    open_now(turn, box)
    vote(turn, box, red=[1])

    def asked() -> int:
        with Redis.from_url(valkey_url) as redis:
            return int(redis.llen("crowdgame:celery:celery"))

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(turn.match.event.code)
        assert room is not None
        screen = FakeSocket()
        for socket in (screen, voter("a", 1), voter("b", 2)):
            join_room(room, socket)
        cast(room, "a")
        await until(lambda: len(screen.frames) >= 1)
        assert await asyncio.to_thread(asked) == 0
        cast(room, "b")
        await asyncio.to_thread(wait_until, asked)

    with_gateway(scenario)


@pytest.mark.django_db(transaction=True)
def test_unknown_codes_are_cached_and_block_no_other_room(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, loads = [new_event(), new_event()], []
    stuck, load = asyncio.Event(), gateways._load_event

    def counted(code: str) -> Any:
        loads.append(code)
        return load(code)

    async def scenario(gateway: Gateway) -> None:
        heartbeat = gateway._presence.heartbeat

        async def stuck_heartbeat(room: EventRoom) -> Any:
            if room.event_id == events[0].pk:
                await stuck.wait()
            return await heartbeat(room)

        monkeypatch.setattr(gateways, "_load_event", counted)
        monkeypatch.setattr(gateway._presence, "heartbeat", stuck_heartbeat)
        waiting = [asyncio.create_task(gateway.room(events[0].code)) for _ in range(20)]
        not_found = await asyncio.gather(*(gateway.room("zzzzz") for _ in range(20)))
        assert await gateway.room("ZZZZZ") is None
        other = await gateway.room(events[1].code)
        assert (not_found, other is not None) == ([None] * 20, True)
        waiting.pop().cancel()
        stuck.set()
        rooms = await asyncio.gather(*waiting)
        assert rooms == [rooms[0]] * 19
        assert rooms[0] is not None
        assert loads == [events[0].code, "ZZZZZ", events[1].code]
        await asyncio.sleep(gateways.MISS_TTL_S)
        await gateway.room("zzzzz")
        assert loads[3:] == ["ZZZZZ"]

    with_gateway(scenario)

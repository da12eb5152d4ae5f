"""A gateway's beat: what it tells while something is away, and whom it tells of a dry run."""

import asyncio
import logging
import threading
from functools import partial
from typing import Any

import msgspec
import pytest
from django.db import OperationalError, connections
from redis import Redis

from tests.voting.boxes import handed_over
from tests.voting.gateway_helpers import (
    FakeSocket,
    cast,
    latest,
    make_room,
    take_in,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import new_event, only_turn, open_now, run_out, start, vote
from voting.admission.seats import Seat
from voting.announcements.layer import Copy
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.box_clock import BoxClock
from voting.ballot_box.types import Turnout, event_key
from voting.gateway import gateway as gateways
from voting.gateway.broadcast import send_rehearsal
from voting.gateway.gateway import Gateway
from voting.gateway.presence import Presence
from voting.protocol import RehearsalUpdated
from voting.turns.closing import close_turn
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db(transaction=True)


def connected(socket: FakeSocket) -> list[Any]:
    """The turnouts that were told."""
    messages = (msgspec.json.decode(frame) for frame in socket.frames)
    return [message["connected"] for message in messages if message["type"] == "turnout.counted"]


def test_a_database_that_hangs_stops_no_beat(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    event, screen, back = new_event(), FakeSocket(), threading.Event()

    def hang(_: object) -> dict[int, int]:
        back.wait(30)
        raise OperationalError("it is away")

    def holds(number: int) -> bool:
        return [number, 0] in connected(screen)

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", hang)
        take_in(room, screen)
        try:
            for number in (1, 2, 3):
                take_in(room, voter(f"v{number}", 1))
                await until(partial(holds, number))
        finally:
            back.set()
        await until(lambda: "it is away" in caplog.text)

    with_gateway(conversation)


def test_a_room_whose_box_does_not_answer_stops_no_other(
    valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    events, screen = [new_event(), new_event()], FakeSocket()

    def spoil() -> None:
        with Redis.from_url(valkey_url) as redis:
            redis.set(event_key(events[0].pk, "gateways"), "spoilt")

    async def conversation(gateway: Gateway) -> None:
        rooms = [await gateway.room(event.code) for event in events]
        await asyncio.to_thread(spoil)
        await until(lambda: "no heartbeat: " in caplog.text)
        assert rooms[1] is not None
        take_in(rooms[1], screen)
        take_in(rooms[1], voter("a", 2))
        await until(lambda: [0, 1] in connected(screen))

    with_gateway(conversation)


def test_a_gateway_says_how_many_readers_were_too_slow(
    valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def conversation(gateway: Gateway) -> None:
        gateway.slow_consumers += 3
        await until(lambda: [vars(record).get("sockets") for record in caplog.records] == [3])
        await asyncio.sleep(1.2)

    with caplog.at_level(logging.INFO, "voting"):
        with_gateway(conversation)
    assert [vars(record).get("sockets") for record in caplog.records] == [3]


def test_a_gateway_that_is_late_tells_phones_no_turnout(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    event, screen, phone = new_event(), FakeSocket(), voter("a", 1)
    monkeypatch.setattr(gateways, "PHONES_EVERY_HEARTBEATS", 1)
    monkeypatch.setattr(gateways, "BUSY_S", 0.0)  # so late is every beat

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        take_in(room, screen)
        take_in(room, phone)
        await until(lambda: connected(screen) == [[1, 0]])
        await asyncio.sleep(1.2)
        assert connected(phone) == []
        monkeypatch.setattr(gateways, "BUSY_S", 60.0)
        await until(lambda: connected(phone) == [[1, 0]])

    with_gateway(conversation)


def rehearsed(sent: int, *, running: bool) -> RehearsalUpdated:
    return RehearsalUpdated(
        phones=5,
        connected=5,
        sent=sent,
        acknowledged=0,
        lost=0,
        ack_p99_ms=None,
        reveal_p99_ms=None,
        running=running,
    )


@pytest.mark.parametrize("last", [None, rehearsed(1, running=False)])
def test_control_rooms_hear_of_a_dry_run_while_it_runs_and_once_that_it_is_over(
    last: RehearsalUpdated | None, valkey_url: str
) -> None:
    console, screen = FakeSocket(), FakeSocket()
    room = make_room(new_event().pk, console, screen)
    room.consoles.add(console)
    on = rehearsed(1, running=True)
    for update in (None, on, on, last, last, None, None, on):
        send_rehearsal(room, update)
    assert [msgspec.json.decode(frame)["running"] for frame in console.frames] == [True, True, False, True]
    assert screen.frames == []
    room.leave(console, None)
    send_rehearsal(room, on)
    assert len(console.frames) == 4


@pytest.mark.django_db(transaction=True)
def test_the_turnout_of_a_turn_that_is_over_is_not_told_as_the_next_ones(box: BallotBox) -> None:
    turn, screen = start(box), FakeSocket()
    room = make_room(turn.match.event_id, screen)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])

    class MovesOn(AsyncBallotBox):
        """Its answer comes when the room is in the next turn."""

        async def heartbeat(self, *args: Any) -> Turnout:
            turnout = await super().heartbeat(*args)
            room.apply(await asyncio.to_thread(over))
            return turnout

    def over() -> Copy:
        run_out(turn, box)
        close_turn(turn.pk, box)
        copy = latest(turn.match.event_id)
        connections.close_all()
        return copy

    async def conversation() -> None:
        late, sound = MovesOn(), AsyncBallotBox()
        await Presence("a", late, BoxClock()).send_updates(room, phones=True, teams=True)
        assert screen.frames == []
        await Presence("a", sound, BoxClock()).send_updates(room, phones=True, teams=True)
        await late.close()
        await sound.close()

    asyncio.run(conversation())
    assert [(message["turn"], message["voted"]) for message in map(msgspec.json.decode, screen.frames)] == [
        (room.turn_ref[0], [0, 0])
    ]


@pytest.mark.parametrize(("hands", "asks"), [(False, 4), (True, 19)])
def test_workers_that_are_behind_are_not_asked_at_each_beat(
    hands: bool, asks: int, box: BallotBox, valkey_url: str
) -> None:
    """Of what nobody does, twenty beats ask four times: after two, four, eight and sixteen.

    With a show of hands they ask each time: that hands are counted is told to nobody.
    """
    event = new_event(close_early=True)
    event.teams.filter(number=2).update(hands=hands)
    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[] if hands else [4])
    names = ["red1"] if hands else ["red1", "yellow1"]
    sockets = [FakeSocket(Seat(event.pk, name, team)) for team, name in enumerate(names, 1)]
    room = make_room(event.pk, *sockets)
    cast(room, *names)

    async def conversation() -> None:
        async_box = AsyncBallotBox()
        presence = Presence("a", async_box, BoxClock())
        for _ in range(20):
            await presence.send_updates(room, phones=False, teams=False)
        await async_box.close()

    asyncio.run(conversation())
    assert len(handed_over(valkey_url)) == asks

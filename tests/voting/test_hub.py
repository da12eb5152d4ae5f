"""A room of one process, and the gateway that keeps it current."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import msgspec
import pytest
from django.db import connections
from redis import Redis

from games.models import Event
from tests.deploy.processes import wait_until
from tests.voting.playing import CLASSIC, new_event, open_now, play_turn, start, vote
from voting import fanout, protocol
from voting.announcements import announce, announcements_after
from voting.ballot_box import BallotBox
from voting.fanout import Copy
from voting.gateway import ROOM_KEPT_S, Gateway
from voting.hub import WRITES_AT_ONCE, Room, write_to_all
from voting.seats import Seat
from voting.snapshots import snapshot
from voting.turns import restore_turn

pytestmark = pytest.mark.django_db


@dataclass(eq=False)
class Ear:
    """A socket that keeps what is written to it."""

    seat: Seat | None = None
    frames: list[str] = field(default_factory=list)

    async def write(self, frame: str) -> None:
        self.frames.append(frame)

    @property
    def seqs(self) -> list[int]:
        told = (msgspec.json.decode(frame) for frame in self.frames)
        return [message["seq"] for message in told if "seq" in message]


def room_of(event_id: int, *ears: Ear) -> Room:
    event = Event.objects.get(pk=event_id)
    return Room(event.pk, event.seq, snapshot(event), sockets=set(ears))


def voter(name: str, team: int) -> Ear:
    return Ear(Seat(1, name, team))


def latest(event_id: int) -> Copy:
    return announcements_after(event_id, Event.objects.get(pk=event_id).seq - 1)[0]


# ------------------------------------------------------------------ rooms
def test_a_voter_with_two_sockets_is_connected_once_and_screens_are_not_counted(box: BallotBox) -> None:
    turn = start(box)
    ears = [voter("a", 1), voter("a", 1), voter("b", 2), voter("c", 2), Ear()]
    room = room_of(turn.match.event_id, *ears)
    assert room.connected() == (1, 2)
    assert room.waiting() == 3
    room.voted |= {"a", "c", "someone who left"}
    assert room.waiting() == 1


def test_only_who_is_to_move_is_waited_for(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "yellow"})
    room = room_of(turn.match.event_id, voter("a", 1), voter("b", 2), voter("c", 2))
    assert room.waiting() == 2
    assert room_of(new_event().pk, voter("a", 1)).waiting() == 0


def test_a_change_is_taken_over_and_who_has_voted_forgotten_with_the_turn(
    box: BallotBox, valkey_url: str
) -> None:
    turn = start(box)
    event_id = turn.match.event_id
    room = room_of(event_id)
    room.voted.add("a")
    open_now(turn, box)
    room.apply(latest(event_id))
    assert room.voted == {"a"}
    assert room.turn is not None
    assert room.turn.closes_at == turn.closes_at
    play_turn(turn, box, [1], [2])
    room.apply(latest(event_id))
    assert room.voted == set()
    assert room.state == snapshot(Event.objects.get(pk=event_id))
    room.voted.add("a")
    _lose(valkey_url)
    assert room.turn is not None
    restore_turn(room.turn.id, box)
    room.apply(latest(event_id))
    assert (room.voted, room.turn.epoch) == (set(), 2)


def _lose(valkey_url: str) -> None:
    with Redis.from_url(valkey_url) as redis:
        redis.flushall()


def test_a_frame_reaches_all_and_lets_others_in_between() -> None:
    ears = [Ear() for _ in range(WRITES_AT_ONCE * 2 + 1)]
    between: list[int] = []

    async def tell() -> None:
        async def somebody_else() -> None:
            for _ in range(2):
                between.append(sum(len(ear.frames) for ear in ears))
                await asyncio.sleep(0)

        other = asyncio.create_task(somebody_else())
        await write_to_all(ears, "frame")
        await other

    asyncio.run(tell())
    assert all(ear.frames == ["frame"] for ear in ears)
    assert between == [WRITES_AT_ONCE, WRITES_AT_ONCE * 2]


def test_a_turnout_is_told_to_screens_when_it_is_new_and_to_phones_now_and_then(box: BallotBox) -> None:
    screen, phone = Ear(), voter("a", 1)
    room = room_of(start(box).match.event_id, screen, phone)
    counted = [
        protocol.TurnoutCounted(turn=1, connected=(1, 0), voted=(number, 0)) for number in (0, 0, 1, 1)
    ]

    async def tell() -> None:
        for turnout, phones in zip(counted, (True, True, False, True), strict=True):
            await room.tell_turnout(turnout, phones=phones)

    asyncio.run(tell())
    told = [msgspec.json.encode(turnout).decode() for turnout in (counted[0], counted[2])]
    assert screen.frames == phone.frames == told


# ------------------------------------------------------------------ gateways
def with_gateway(conversation: Callable[[Gateway], Awaitable[None]]) -> None:
    async def held() -> None:
        gateway = Gateway()
        try:
            async with asyncio.timeout(20):
                await conversation(gateway)
        finally:
            await end(gateway._tasks)
            await gateway.box.close()
            await asyncio.to_thread(connections.close_all)

    asyncio.run(held())


async def end(tasks: list[asyncio.Task[None]]) -> None:
    """A cancellation that meets a call in the database's thread is lost there: it is asked for again."""
    while not all(task.done() for task in tasks):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=0.2)


async def until(holds: Callable[[], object]) -> None:
    while not holds():  # noqa: ASYNC110  what is awaited is told to an ear, which has no event
        await asyncio.sleep(0.01)


@pytest.mark.django_db(transaction=True)
def test_what_comes_twice_late_or_not_at_all_is_told_once_and_in_order(valkey_url: str) -> None:
    event, ear = new_event(), Ear()
    for now in range(4):
        announce(event.pk, protocol.EventEdited, now)
    copies = announcements_after(event.pk, 0)
    Event.objects.filter(pk=event.pk).update(seq=0)

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.seq = 0
        room.sockets.add(ear)
        for number in (0, 0, 2, 1, 0, 3, 2):
            await asyncio.to_thread(fanout.publish, [copies[number]])
        await until(lambda: room.seq == 4)
        await asyncio.to_thread(fanout.publish, [copies[1], copies[3]])
        last = Copy(event.pk, 5, copies[0].body.replace(b'"seq":1', b'"seq":5'))
        await asyncio.to_thread(fanout.publish, [last])
        await until(lambda: room.seq == 5)

    with_gateway(conversation)
    assert ear.seqs == [1, 2, 3, 4, 5]


@pytest.mark.django_db(transaction=True)
def test_what_is_found_and_heard_at_once_is_told_once(valkey_url: str) -> None:
    """The beat and the ear may both be at it."""
    event, ear = new_event(), Ear()

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.sockets.add(ear)
        for _ in range(3):
            await asyncio.to_thread(_announce, event.pk)
        await asyncio.gather(*[gateway._catch_up(room) for _ in range(3)])

    with_gateway(conversation)
    assert ear.seqs == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_what_was_never_sent_is_found_in_the_database(valkey_url: str) -> None:
    event, ear = new_event(), Ear()

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.sockets.add(ear)
        await asyncio.to_thread(_announce, event.pk)
        await until(lambda: ear.seqs)

    with_gateway(conversation)
    assert ear.seqs == [1]


def _announce(event_id: int) -> None:
    announce(event_id, protocol.EventEdited, 1)
    connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_a_room_is_one_a_code_and_there_is_none_without_an_event(valkey_url: str) -> None:
    event = new_event()

    async def conversation(gateway: Gateway) -> None:
        rooms = await asyncio.gather(*[gateway.room(code) for code in [event.code, event.code.lower()] * 5])
        assert len({id(room) for room in rooms}) == 1
        assert await gateway.room("ZZZZ") is None

    with_gateway(conversation)


@pytest.mark.django_db(transaction=True)
def test_an_empty_room_is_given_up_but_never_while_somebody_is_coming(valkey_url: str) -> None:
    event, other = new_event(), new_event()

    async def conversation(gateway: Gateway) -> None:
        kept, left = await gateway.room(event.code), await gateway.room(other.code)
        assert kept is not None
        assert left is not None
        for room in (kept, left):
            room.asked_at = time.monotonic() - ROOM_KEPT_S - 1
        assert await gateway.room(event.code) is kept
        await until(lambda: other.code not in gateway._rooms)
        assert await gateway.room(event.code) is kept
        assert await gateway.room(other.code) is not left

    with_gateway(conversation)


@pytest.mark.django_db(transaction=True)
def test_a_gateway_knows_the_time_of_the_box(box: BallotBox) -> None:
    event = new_event()

    async def conversation(gateway: Gateway) -> None:
        before = await asyncio.to_thread(box.now)
        await gateway.room(event.code)
        assert before - 50 <= gateway.now() <= await asyncio.to_thread(box.now) + 50

    with_gateway(conversation)


@pytest.mark.django_db(transaction=True)
def test_an_early_close_is_asked_for_once_all_who_are_connected_have_voted(
    box: BallotBox, valkey_url: str
) -> None:
    turn = start(box, close_early=True)
    open_now(turn, box)
    vote(turn, box, red=[1])

    def asked() -> int:
        with Redis.from_url(valkey_url) as redis:
            return int(redis.llen("crowdgame:celery:celery"))

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(turn.match.event.code)
        assert room is not None
        screen = Ear()
        room.sockets |= {screen, voter("a", 1), voter("b", 2)}
        room.voted.add("a")
        await until(lambda: len(screen.frames) >= 1)
        assert await asyncio.to_thread(asked) == 0
        room.voted.add("b")
        await asyncio.to_thread(wait_until, asked)

    with_gateway(conversation)

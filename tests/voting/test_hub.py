"""A room of one process, and the gateway that keeps it current."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.db.models import F
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from games.engine.game import Board
from games.models import Event, Match
from tests.deploy.processes import wait_until
from tests.voting.playing import CLASSIC, new_event, open_now, play_turn, start, vote
from voting import fanout, protocol
from voting import gateway as gateways
from voting.announcements import announce, announcements_after
from voting.ballot_box import BallotBox
from voting.fanout import Copy
from voting.gateway import ROOM_KEPT_S, Gateway
from voting.hub import OPENING_MS, SOCKETS_A_SEAT, WRITES_AT_ONCE, Room, write_to_all
from voting.intake import Intake
from voting.protocol import CloseCode
from voting.seats import Seat
from voting.snapshots import snapshot
from voting.turns import restore_turn

pytestmark = pytest.mark.django_db


@dataclass(eq=False)
class Ear:
    """A socket that keeps what is written to it."""

    seat: Seat | None = None
    frames: list[str] = field(default_factory=list)
    goodbyes: list[tuple[int, int | None]] = field(default_factory=list)

    def write(self, frame: str) -> None:
        self.frames.append(frame)

    def end(self, code: int, within_ms: int | None = None) -> None:
        self.goodbyes.append((code, within_ms))

    @property
    def seqs(self) -> list[int]:
        told = (msgspec.json.decode(frame) for frame in self.frames)
        return [message["seq"] for message in told if "seq" in message]


NO_BOX: Any = None


def room_of(event_id: int, *ears: Ear) -> Room:
    event = Event.objects.get(pk=event_id)
    room = Room(event.pk, event.seq, snapshot(event), Intake(NO_BOX, NO_BOX))
    for ear in ears:
        take_in(room, ear)
    return room


def take_in(room: Room, ear: Ear) -> None:
    if ear.seat is None:
        room.screens.add(ear)
    else:
        room.sit(ear, ear.seat)


def cast(room: Room, *names: str) -> None:
    for name in names:
        room.count_vote(room.voters[name], room.occasion)


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
    cast(room, "a", "c", "a")
    assert room.waiting() == 1


def test_who_leaves_is_not_counted_any_more_and_is_again_on_coming_back(box: BallotBox) -> None:
    turn = start(box)
    first, second, other = voter("a", 1), voter("a", 1), voter("b", 2)
    room = room_of(turn.match.event_id, first, second, other)
    cast(room, "a")
    gone = room.voters["a"]
    room.leave(first, first.seat)
    room.leave(first, first.seat)
    assert (room.connected(), room.waiting()) == ((1, 1), 1)
    room.leave(second, second.seat)
    assert (room.connected(), room.waiting()) == ((0, 1), 1)
    room.count_vote(gone, room.occasion)
    take_in(room, first)
    assert (room.connected(), room.waiting()) == ((1, 1), 2)
    for ear in (first, other):
        room.leave(ear, ear.seat)
    assert (room.connected(), room.waiting(), room.is_empty, room.voters) == ((0, 0), 0, True, {})


def test_of_too_many_sockets_with_one_seat_the_oldest_go(box: BallotBox) -> None:
    ears = [voter("a", 1) for _ in range(SOCKETS_A_SEAT + 2)]
    room = room_of(start(box).match.event_id, *ears)
    assert [ear.goodbyes for ear in ears] == [[(CloseCode.OPEN_ELSEWHERE, None)]] * 2 + [[]] * SOCKETS_A_SEAT
    for ear in ears[:2]:
        room.leave(ear, ear.seat)
    assert room.connected() == (1, 0)


@given(st.lists(st.tuples(st.sampled_from(["come", "go", "vote", "turn"]), st.integers(0, 5)), max_size=60))
def test_running_counts_are_what_counting_would_give(steps: list[tuple[str, int]]) -> None:
    ears = [voter(name, team) for name, team in [("a", 1), ("a", 1), ("b", 1), ("c", 2), ("c", 2), ("d", 2)]]
    room, turn_id = Room(1, 0, playing(1), Intake(NO_BOX, NO_BOX)), 1
    here: set[int] = set()
    voted: set[str] = set()
    for step, number in steps:
        ear = ears[number]
        assert ear.seat is not None
        name = ear.seat.voter
        if step == "come" and number not in here:
            here.add(number)
            take_in(room, ear)
        elif step == "go":
            here.discard(number)
            room.leave(ear, ear.seat)
        elif step == "vote" and name in room.voters:
            cast(room, name)
            voted.add(name)
        elif step == "turn":
            turn_id += 1
            change = protocol.TurnRevealed(seq=turn_id, at=0, state=playing(turn_id))
            room.apply(Copy(1, turn_id, msgspec.json.encode(change)))
            voted.clear()
        seats = {ears[i].seat.voter: ears[i].seat.team for i in here}  # type: ignore[union-attr]
        voted &= seats.keys()
        teams = list(seats.values())
        assert room.connected() == (teams.count(1), teams.count(2))
        assert room.waiting() == len(seats.keys() - voted)


def playing(turn_id: int) -> protocol.EventState:
    legal = protocol.Legal(red=(1, 2), yellow=(1, 2))
    turn = protocol.Turn(
        id=turn_id, number=1, opens_at=0, closes_at=1, epoch=1, paused=False, left_ms=0,
        to_move=("red", "yellow"), legal=legal,
    )  # fmt: skip
    board = Board(face="columns", columns=7, rows=6, grid=(), token=None, winning_cells=())
    match = protocol.Match(
        id=1, number=1, game="g", title="G", state="playing", red=1, yellow=2, result="open", ended_by=None,
        window_s=1, reveal_s=1, close_early=False, board=board, turn=turn, reveal=None,
    )  # fmt: skip
    teams = (protocol.Team(number=1, name="a"), protocol.Team(number=2, name="b"))
    return protocol.EventState(
        code="C", name="n", lobby="open", team_choice="balance", teams=teams, match=match,
        next_match_at=None, finished=(),
    )  # fmt: skip


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
    room = room_of(event_id, voter("a", 1))
    cast(room, "a")
    open_now(turn, box)
    room.apply(latest(event_id))
    assert room.waiting() == 0
    assert room.turn is not None
    assert room.turn.closes_at == turn.closes_at
    play_turn(turn, box, [1], [2])
    room.apply(latest(event_id))
    assert room.waiting() == 1
    assert room.state == snapshot(Event.objects.get(pk=event_id))
    cast(room, "a")
    assert room.waiting() == 0
    _lose(valkey_url)
    assert room.turn is not None
    restore_turn(room.turn.id, box)
    room.apply(latest(event_id))
    assert (room.waiting(), room.turn.epoch) == (1, 2)


def _lose(valkey_url: str) -> None:
    with Redis.from_url(valkey_url) as redis:
        redis.flushall()


def test_a_ballot_is_early_until_shortly_before_the_window_opens_and_then_asked_of_the_box(
    box: BallotBox,
) -> None:
    turn = start(box)
    poll = room_of(turn.match.event_id).poll
    assert poll is not None
    ballot = protocol.BallotCast(turn=turn.pk, epoch=1, column=1, sequence=1)
    assert poll.refusal(1, ballot, turn.opens_at - OPENING_MS - 1) == "early"
    assert poll.refusal(1, ballot, turn.opens_at - OPENING_MS) is None


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
        room.screens.add(ear)
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
        room.screens.add(ear)
        for _ in range(3):
            await asyncio.to_thread(_announce, event.pk)
        await asyncio.gather(*[gateway.ears.catch_up(room) for _ in range(3)])

    with_gateway(conversation)
    assert ear.seqs == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_what_was_never_sent_is_found_in_the_database(valkey_url: str) -> None:
    event, ear = new_event(), Ear()

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.screens.add(ear)
        await asyncio.to_thread(_announce, event.pk)
        await until(lambda: ear.seqs)

    with_gateway(conversation)
    assert ear.seqs == [1]


@pytest.mark.django_db(transaction=True)
def test_a_slow_press_in_a_control_room_does_not_keep_a_gateway_from_the_database(valkey_url: str) -> None:
    event, ear = new_event(), Ear()

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.screens.add(ear)
        press = asyncio.create_task(sync_to_async(time.sleep)(2))
        await asyncio.to_thread(_announce, event.pk)
        await gateway.ears.catch_up(room)
        assert not press.done()
        await press

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
        for ear in (screen, voter("a", 1), voter("b", 2)):
            take_in(room, ear)
        cast(room, "a")
        await until(lambda: len(screen.frames) >= 1)
        assert await asyncio.to_thread(asked) == 0
        cast(room, "b")
        await asyncio.to_thread(wait_until, asked)

    with_gateway(conversation)


@pytest.mark.django_db(transaction=True)
def test_an_announcement_of_another_version_is_made_good_by_what_this_one_makes_of_the_event(
    box: BallotBox,
) -> None:
    turn, ear = start(box), Ear()
    event_id = turn.match.event_id

    def unreadable() -> None:
        Event.objects.filter(pk=event_id).update(seq=F("seq") + 1, name="Another evening")
        seq = Event.objects.get(pk=event_id).seq
        fanout.publish([Copy(event_id, seq, b'{"type":"turn.turned"}')])

    def play_draughts() -> None:
        Match.objects.filter(event_id=event_id).update(game="draughts")

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(turn.match.event.code)
        assert room is not None
        room.screens.add(ear)
        await asyncio.to_thread(unreadable)
        await until(lambda: ear.frames)
        told = msgspec.json.decode(ear.frames[0])
        assert (told["type"], told["state"]["name"]) == ("event.edited", "Another evening")
        assert (told["seq"], room.state.name) == (room.seq, "Another evening")
        seq = room.seq
        await asyncio.to_thread(play_draughts)
        await asyncio.to_thread(unreadable)
        await until(lambda: room.seq == seq + 1)
        assert len(ear.frames) == 1
        assert not any(task.done() for task in gateway._tasks)

    with_gateway(conversation)


def test_a_reveal_that_does_not_tell_when_it_was_sealed_is_understood(box: BallotBox) -> None:
    turn = start(box)
    play_turn(turn, box, red=[3], yellow=[4])
    told = msgspec.json.decode(latest(turn.match.event_id).body)
    del told["state"]["match"]["reveal"]["sealed_at"]
    match = protocol.decode_change(msgspec.json.encode(told)).state.match
    assert match is not None
    assert match.reveal is not None
    assert (match.reveal.sealed_at, match.reveal.turn) == (0, turn.pk)


@pytest.mark.django_db(transaction=True)
def test_codes_that_nobody_has_cost_a_look_a_second_and_keep_no_other_waiting(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, looks = [new_event(), new_event()], []
    stuck, look = asyncio.Event(), gateways._load_event

    def counted(code: str) -> Any:
        looks.append(code)
        return look(code)

    async def conversation(gateway: Gateway) -> None:
        beat = gateway._presence.beat

        async def stuck_beat(room: Room) -> Any:
            if room.event_id == events[0].pk:
                await stuck.wait()
            return await beat(room)

        monkeypatch.setattr(gateways, "_load_event", counted)
        monkeypatch.setattr(gateway._presence, "beat", stuck_beat)
        waiting = [asyncio.create_task(gateway.room(events[0].code)) for _ in range(20)]
        strangers = await asyncio.gather(*(gateway.room("zzzzz") for _ in range(20)))
        assert await gateway.room("ZZZZZ") is None
        other = await gateway.room(events[1].code)
        assert (strangers, other is not None) == ([None] * 20, True)
        waiting.pop().cancel()
        stuck.set()
        rooms = await asyncio.gather(*waiting)
        assert rooms == [rooms[0]] * 19
        assert rooms[0] is not None
        assert looks == [events[0].code, "ZZZZZ", events[1].code]
        await asyncio.sleep(gateways.MISS_KEPT_S)
        await gateway.room("zzzzz")
        assert looks[3:] == ["ZZZZZ"]

    with_gateway(conversation)

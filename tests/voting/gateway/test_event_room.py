"""The event room of one process, and WebSocket consumers called directly."""

import asyncio
import json
from typing import Any, ClassVar

import msgspec
import pytest

from tests.monitoring.probes import own_refusals
from tests.voting.box_helpers import empty
from tests.voting.gateway_helpers import (
    FakeConnection,
    FakeSocket,
    cast,
    join_room,
    latest,
    make_room,
    new_room,
    playing,
    until,
    vote_by_hands,
    voter,
)
from tests.voting.match_helpers import CLASSIC, new_event, open_now, play_turn, start
from voting import protocol
from voting.admission.seats import Seat
from voting.announcements.channel_layer import LayerMessage
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.intake import MAX_PAUSE_S
from voting.gateway import hooks, side_change_queue, socket
from voting.gateway.display import DisplayConsumer
from voting.gateway.event_room import MAX_SOCKETS_PER_SEAT
from voting.gateway.live_event import EARLY_TOLERANCE_MS
from voting.gateway.phone import PhoneConsumer
from voting.gateway.socket import SocketConsumer
from voting.gateway.supplements import send_turnout
from voting.gateway.text_frames import text_frame
from voting.metrics.metrics import SLOW_CONSUMERS
from voting.models import Event
from voting.protocol import CloseCode, NicknameAnswered, NicknameAsk
from voting.turns.restoring import restore_turn
from voting.turns.side_change_store import SideChangeRequest

pytestmark = pytest.mark.django_db


def test_event_room_updates_counts_on_leave_and_return(box: BallotBox) -> None:
    turn = start(box)
    first, second, other = voter("a", 1), voter("a", 1), voter("b", 2)
    room = make_room(turn.match.event_id, first, second, other)
    cast(room, "a")
    gone = room.voters["a"]
    room.leave(first, first.seat)
    room.leave(first, first.seat)
    assert (room.connected(), room.waiting()) == ((1, 1), 1)
    room.leave(second, second.seat)
    assert (room.connected(), room.waiting()) == ((0, 1), 1)
    room.count_vote(gone, room.turn_ref)
    assert set(room.heartbeat.departed) == {gone.voter_code}
    join_room(room, first)
    assert not room.heartbeat.departed
    assert (room.connected(), room.waiting()) == ((1, 1), 2)
    for phone in (first, other):
        room.leave(phone, phone.seat)
    assert (room.connected(), room.waiting(), room.sockets.is_empty, room.voters) == ((0, 0), 0, True, {})


def test_event_room_closes_oldest_sockets_of_a_seat(box: BallotBox) -> None:
    sockets = [voter("a", 1) for _ in range(MAX_SOCKETS_PER_SEAT + 2)]
    room = make_room(start(box).match.event_id, *sockets)
    closed: list[list[Any]] = [[(CloseCode.OPEN_ELSEWHERE, None)]] * 2
    assert [socket.close_calls for socket in sockets] == closed + [[]] * MAX_SOCKETS_PER_SEAT
    for phone in sockets[:2]:
        room.leave(phone, phone.seat)
    assert room.connected() == (1, 0)


def test_side_change_is_refused_if_queue_is_full(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_change_queue, "MAX_QUEUED", 0)
    turn, connection, before = start(box, max_side_changes=1), FakeConnection(), own_refusals("change")
    queue = make_room(turn.match.event_id).side_change_queue
    phone = PhoneConsumer(connection.scope)
    queue.take(phone, SideChangeRequest("ann", 1, turn.pk, 1, 2, "00" * 16))
    assert connection.texts == ['{"type":"side.refused","number":1,"code":"busy"}']
    assert own_refusals("change") == before + 1


def test_event_room_applies_changes_and_resets_votes_per_turn(box: BallotBox) -> None:
    turn = start(box)
    event_id = turn.match.event_id
    room = make_room(event_id, voter("a", 1))
    assert bytes(room.encoded_state) == msgspec.json.encode(room.state)
    cast(room, "a")
    room.heartbeat.unanimous = 2
    open_now(turn, box)
    room.apply(latest(event_id))
    assert (room.waiting(), room.heartbeat.unanimous) == (0, 0)
    assert room.turn is not None
    assert room.turn.closes_at == turn.closes_at
    play_turn(turn, box, [1], [2])
    room.apply(latest(event_id))
    assert room.waiting() == 1
    assert room.state == load_snapshot(Event.objects.get(pk=event_id))
    assert bytes(room.encoded_state) == msgspec.json.encode(room.state)
    with pytest.raises(msgspec.MsgspecError):
        room.apply(LayerMessage(room.event_id, room.seq + 1, b"{}"))
    assert bytes(room.encoded_state) == msgspec.json.encode(room.state)
    cast(room, "a")
    assert room.waiting() == 0
    empty()
    assert room.turn is not None
    restore_turn(room.turn.id, box)
    room.apply(latest(event_id))
    assert (room.waiting(), room.turn.epoch) == (1, 2)


def test_poll_refuses_early_ballot_until_shortly_before_opening(box: BallotBox) -> None:
    turn = start(box)
    poll = make_room(turn.match.event_id).poll
    assert poll is not None
    ballot = protocol.BallotCast(turn=turn.pk, epoch=1, choice=1, sequence=1)
    early = turn.opens_at - EARLY_TOLERANCE_MS - 1
    assert poll.refusal(1, ballot, early) == "early"
    assert poll.refusal(1, ballot, early, voted=True) is None, "it was counted, and may be repeated"
    assert poll.refusal(1, ballot, turn.opens_at - EARLY_TOLERANCE_MS) is None
    before_the_end_ms = int(2_000 * MAX_PAUSE_S)
    assert [poll.closes_soon(turn.closes_at - before_the_end_ms + late) for late in (0, 1)] == [False, True]


def test_send_turnout_skips_unchanged_turnout_and_throttles_phones() -> None:
    screen, phone = FakeSocket(), voter("a", 1)
    room = make_room(new_event().pk, screen, phone)
    counted = [protocol.TurnoutCounted(turn=1, connected=(1, 0), voted=(voted, 0)) for voted in (0, 0, 1, 1)]

    async def send() -> None:
        for turnout, phones in zip(counted, (True, True, False, True), strict=True):
            await send_turnout(room, turnout, phones=phones)

    asyncio.run(send())
    frames = [msgspec.json.encode(turnout).decode() for turnout in (counted[0], counted[2])]
    assert screen.frames == phone.frames == frames


def test_event_room_does_not_wait_for_hands_team_and_refuses_its_ballots(box: BallotBox) -> None:
    turn = start(box, close_early=True)
    room = make_room(turn.match.event_id, voter("a", 1), voter("b", 1), voter("left over", 2))
    ballot = protocol.BallotCast(turn.pk, 1, 3, 1)
    assert room.poll is not None
    assert room.poll.refusal(2, ballot, turn.opens_at) is None
    vote_by_hands(room, box)
    assert room.poll.refusal(2, ballot, turn.opens_at) == "not_to_move"
    assert room.poll.refusal(1, ballot, turn.opens_at) is None
    assert (room.team_for_new_voter(0), room.team_for_new_voter(2), room.accepts_phones) == (1, 1, True)
    assert room.waiting() == 2
    cast(room, "a", "b")
    assert room.waiting() == 0


def test_event_room_waits_only_for_phones_of_side_to_move(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "yellow"})
    room = make_room(turn.match.event_id, voter("a", 1), voter("b", 2), voter("c", 2))
    assert room.waiting() == 2
    assert room.poll is not None
    assert room.poll.refusal(1, protocol.BallotCast(turn.pk, 1, 3, 1), turn.opens_at) == "not_to_move"
    vote_by_hands(room, box)
    assert (room.waiting(), room.poll.legal) == (0, {})
    assert make_room(new_event().pk, voter("a", 1)).waiting() == 0


JOIN = b'{"type":"phone.join","code":"Q7RM"}'
CHEER, CLOCK = b'{"type":"cheer.send","presses":1}', b'{"type":"clock.ask","sent":5}'


@pytest.mark.parametrize("frames", [[], [b"{}"]], ids=["silent", "malformed frame"])
async def test_phone_that_joins_late_is_closed(frames: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Other frames do not extend the timeout."""
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.02)
    connection = FakeConnection()
    phone = PhoneConsumer(connection.scope)
    phone.begin()
    for frame in frames:
        phone.handle_message(frame)
    await until(lambda: connection.closed_with is not None)
    assert ["malformed" in text for text in connection.texts] == [True] * len(frames)
    assert connection.closed_with == CloseCode.JOIN_TIMEOUT


class ReadyGateway:
    """A gateway that has a room for each code, and knows the time once `sync_time` was called."""

    retry_ms = None
    knows_time = False
    slow_consumers = 0

    async def room(self, _: str) -> Any:
        return new_room(1, 1, playing(1))

    async def sync_time(self) -> None:
        self.knows_time = True

    def now(self) -> int:
        return 7


async def test_busy_server_answers_join_with_retry_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the delay, all phones would reconnect at once and time out again."""

    async def load_forever(*_: object) -> None:
        await asyncio.Event().wait()

    connection = FakeConnection()
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.05)
    monkeypatch.setattr(ReadyGateway, "room", load_forever)
    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    await handle(PhoneConsumer(connection.scope), JOIN)
    assert json.loads(connection.texts[0]) == {"type": "retry.after", "within_ms": 15_000}
    assert connection.closed_with == CloseCode.CROWDED


async def handle(consumer: SocketConsumer, text: bytes | None) -> None:
    waiting = consumer.handle_message(text)
    if waiting is not None:
        await waiting


async def test_phone_chooses_nicknames_one_at_a_time_and_only_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    async def answer(_event: int, _code: str, message: NicknameAsk, _now: int) -> NicknameAnswered:
        asked.append(message.name)
        return NicknameAnswered()

    monkeypatch.setattr(hooks, "nickname_requests", [answer])
    room, phone = new_room(1, 0, playing(1)), PhoneConsumer(FakeConnection().scope)
    phone.voter = room.add_voter(phone, Seat(1, "a", 1))
    for number in range(20):
        for name in (f"first {number}", f"second {number}"):
            phone.handle_joined(NicknameAsk(name=name), room)
        await asyncio.sleep(0)
    assert asked == [f"first {number}" for number in range(10)]


class Echo(SocketConsumer):
    kind: ClassVar = "phone"
    messages: ClassVar = protocol.PhoneMessage

    async def join(self, message: Any, room: Any) -> None:
        self.room = room

    def handle_joined(self, message: Any, room: Any) -> None:
        self.send(message)


async def echo(*, joined: bool = True) -> tuple[Echo, FakeConnection]:
    connection = FakeConnection()
    consumer = Echo(connection.scope)
    if joined:
        await handle(consumer, JOIN)
    return consumer, connection


BEFORE_JOIN = socket.FRAME_BURST // socket.FRAME_COST_BEFORE_JOIN


@pytest.mark.parametrize(
    ("joined", "frame", "messages", "code"),
    [
        (True, CHEER, socket.FRAME_BURST + 1, CloseCode.TOO_MANY_FRAMES),
        (True, CHEER, socket.FRAME_BURST // 2, None),
        (False, CLOCK, BEFORE_JOIN, None),
        (False, CLOCK, BEFORE_JOIN + 1, CloseCode.TOO_MANY_FRAMES),
        (True, None, 1, CloseCode.BAD_FRAME),
    ],
)
async def test_flood_and_binary_messages_close_the_socket(
    joined: bool, frame: bytes | None, messages: int, code: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    consumer, connection = await echo(joined=joined)
    for _ in range(messages):
        await handle(consumer, frame)
    assert connection.closed_with == code
    assert len(connection.texts) <= socket.FRAME_BURST


async def test_closed_phone_leaves_the_room_before_it_disconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    consumer, _ = await echo()
    assert consumer.room is not None
    consumer.room.sockets.add_unseated(consumer)
    await handle(consumer, None)
    assert consumer.room.sockets.all() == []


@pytest.mark.parametrize(("consumer", "shown"), [(PhoneConsumer, []), (DisplayConsumer, ["turnout"])])
def test_socket_that_joins_receives_seal_and_turnout_if_it_shows_that(
    consumer: type[SocketConsumer], shown: list[str]
) -> None:
    connection, room = FakeConnection(), new_room(1, 1, playing(1))
    room.seal, room.last_sent.turnout = text_frame(b"seal"), text_frame(b"turnout")
    consumer(connection.scope).enter_room(room, protocol.ClockSynced(sent=1, now_at=2))
    assert connection.texts[1:] == ["seal", *shown]


def test_slow_consumer_is_counted_for_the_log_and_the_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway, counted = ReadyGateway(), list[None]()
    monkeypatch.setattr(socket, "gateway", lambda: gateway)
    monkeypatch.setattr(SLOW_CONSUMERS, "inc", lambda: counted.append(None))
    PhoneConsumer(FakeConnection().scope).handle_overflow()
    assert (gateway.slow_consumers, len(counted)) == (1, 1)

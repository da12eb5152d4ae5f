"""A room of one process: who is in it, who has voted, and what is written to all."""

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from games.models import Event
from tests.voting.gateway_helpers import NO_BOX, FakeSocket, cast, latest, make_room, playing, take_in, voter
from tests.voting.match_helpers import CLASSIC, new_event, open_now, play_turn, start
from voting import protocol
from voting.announcements.layer import Copy
from voting.announcements.snapshots import snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.intake import Intake
from voting.gateway.broadcast import WRITES_AT_ONCE, send_turnout, write_to_all
from voting.gateway.event_room import SOCKETS_A_SEAT, EventRoom
from voting.gateway.poll import OPENING_MS
from voting.protocol import CloseCode
from voting.turns.turns import restore_turn

pytestmark = pytest.mark.django_db


def test_a_voter_with_two_sockets_is_connected_once_and_screens_are_not_counted(box: BallotBox) -> None:
    turn = start(box)
    sockets = [voter("a", 1), voter("a", 1), voter("b", 2), voter("c", 2), FakeSocket()]
    room = make_room(turn.match.event_id, *sockets)
    assert room.connected() == (1, 2)
    assert room.waiting() == 3
    cast(room, "a", "c", "a")
    assert room.waiting() == 1


def test_who_leaves_is_not_counted_any_more_and_is_again_on_coming_back(box: BallotBox) -> None:
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
    take_in(room, first)
    assert (room.connected(), room.waiting()) == ((1, 1), 2)
    for socket in (first, other):
        room.leave(socket, socket.seat)
    assert (room.connected(), room.waiting(), room.is_empty, room.voters) == ((0, 0), 0, True, {})


def test_of_too_many_sockets_with_one_seat_the_oldest_go(box: BallotBox) -> None:
    sockets = [voter("a", 1) for _ in range(SOCKETS_A_SEAT + 2)]
    room = make_room(start(box).match.event_id, *sockets)
    assert [socket.close_calls for socket in sockets] == [[(CloseCode.OPEN_ELSEWHERE, None)]] * 2 + [
        []
    ] * SOCKETS_A_SEAT
    for socket in sockets[:2]:
        room.leave(socket, socket.seat)
    assert room.connected() == (1, 0)


@given(st.lists(st.tuples(st.sampled_from(["come", "go", "vote", "turn"]), st.integers(0, 5)), max_size=60))
def test_running_counts_are_what_counting_would_give(steps: list[tuple[str, int]]) -> None:
    sockets = [
        voter(name, team) for name, team in [("a", 1), ("a", 1), ("b", 1), ("c", 2), ("c", 2), ("d", 2)]
    ]
    room, turn_id = EventRoom(1, 0, playing(1), Intake(NO_BOX, NO_BOX)), 1
    here: set[int] = set()
    voted: set[str] = set()
    for step, number in steps:
        socket = sockets[number]
        assert socket.seat is not None
        name = socket.seat.voter
        if step == "come" and number not in here:
            here.add(number)
            take_in(room, socket)
        elif step == "go":
            here.discard(number)
            room.leave(socket, socket.seat)
        elif step == "vote" and name in room.voters:
            cast(room, name)
            voted.add(name)
        elif step == "turn":
            turn_id += 1
            change = protocol.TurnRevealed(seq=turn_id, at=0, state=playing(turn_id))
            room.apply(Copy(1, turn_id, msgspec.json.encode(change)))
            voted.clear()
        seats = {sockets[i].seat.voter: sockets[i].seat.team for i in here}  # type: ignore[union-attr]
        voted &= seats.keys()
        teams = list(seats.values())
        assert room.connected() == (teams.count(1), teams.count(2))
        assert room.waiting() == len(seats.keys() - voted)


def test_only_who_is_to_move_is_waited_for(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "yellow"})
    room = make_room(turn.match.event_id, voter("a", 1), voter("b", 2), voter("c", 2))
    assert room.waiting() == 2
    assert make_room(new_event().pk, voter("a", 1)).waiting() == 0


def test_a_change_is_taken_over_and_who_has_voted_forgotten_with_the_turn(
    box: BallotBox, valkey_url: str
) -> None:
    turn = start(box)
    event_id = turn.match.event_id
    room = make_room(event_id, voter("a", 1))
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
    poll = make_room(turn.match.event_id).poll
    assert poll is not None
    ballot = protocol.BallotCast(turn=turn.pk, epoch=1, choice=1, sequence=1)
    assert poll.refusal(1, ballot, turn.opens_at - OPENING_MS - 1) == "early"
    assert poll.refusal(1, ballot, turn.opens_at - OPENING_MS) is None


def test_a_frame_reaches_all_and_lets_others_in_between() -> None:
    sockets = [FakeSocket() for _ in range(WRITES_AT_ONCE * 2 + 1)]
    between: list[int] = []

    async def send() -> None:
        async def somebody_else() -> None:
            for _ in range(2):
                between.append(sum(len(socket.frames) for socket in sockets))
                await asyncio.sleep(0)

        other = asyncio.create_task(somebody_else())
        await write_to_all(sockets, "frame")
        await other

    asyncio.run(send())
    assert all(socket.frames == ["frame"] for socket in sockets)
    assert between == [WRITES_AT_ONCE, WRITES_AT_ONCE * 2]


def test_a_turnout_is_told_to_screens_when_it_is_new_and_to_phones_now_and_then(box: BallotBox) -> None:
    screen, phone = FakeSocket(), voter("a", 1)
    room = make_room(start(box).match.event_id, screen, phone)
    counted = [
        protocol.TurnoutCounted(turn=1, connected=(1, 0), voted=(number, 0)) for number in (0, 0, 1, 1)
    ]

    async def send() -> None:
        for turnout, phones in zip(counted, (True, True, False, True), strict=True):
            await send_turnout(room, turnout, phones=phones)

    asyncio.run(send())
    frames = [msgspec.json.encode(turnout).decode() for turnout in (counted[0], counted[2])]
    assert screen.frames == phone.frames == frames

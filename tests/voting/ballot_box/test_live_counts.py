import asyncio
from collections import Counter
from random import Random
from typing import Any

import pytest
from redis import Redis

from games.engine.game import SIDES
from tests.voting.action_helpers import press
from tests.voting.box_helpers import CountingBox, gateway_box, votes
from tests.voting.counting.method_cases import CASES
from tests.voting.gateway_helpers import FakeConnection, FakeSocket, latest, make_room, voter
from tests.voting.match_helpers import CLASSIC, SELECTOR, open_now, play_out, start, vote
from voting.admission.seats import Seat
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import BoxClock
from voting.ballot_box.box_types import BoxedTurn
from voting.counting.ballots import DRAW, RESIGN, Ballot
from voting.counting.methods.voting_method import METHODS
from voting.gateway.event_room import EventRoom
from voting.gateway.phone import PhoneConsumer
from voting.gateway.presence import Presence
from voting.models import Event, Turn

pytestmark = pytest.mark.django_db


def counts(socket: FakeSocket) -> list[list[int]]:
    return [message["counts"] for message in socket.received if message["type"] == "team.counted"]


def heartbeat(room: EventRoom, *, teams: bool = True) -> list[str]:
    async def once() -> list[str]:
        box = CountingBox()
        await Presence("a", box, BoxClock()).send_updates(room, phones=False, teams=teams)
        await box.close()
        return box.called

    return asyncio.run(once())


def open_room(box: BallotBox, *sockets: FakeSocket, **choices: Any) -> tuple[Turn, EventRoom]:
    """An open turn of an event with own counts, and its room with these sockets."""
    turn = start(box, own_counts=True, **choices)
    room = make_room(turn.match.event_id, *sockets)
    assert "peek" not in heartbeat(room), "the window is not open yet"
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    return turn, room


def test_phones_receive_changed_counts_of_their_team(box: BallotBox) -> None:
    sockets = [voter("a", 1), voter("b", 1), voter("c", 2)]
    screen, console, unseated = FakeSocket(), FakeSocket(), FakeSocket()
    turn, room = open_room(box, screen, console, *sockets)
    room.sockets.consoles.add(console)
    room.sockets.add_unseated(unseated)
    vote(turn, box, red=[3, 3], yellow=[7])
    assert heartbeat(room).count("peek") == 1
    heartbeat(room)
    vote(turn, box, red=[3, 3, 1])
    assert "peek" not in heartbeat(room, teams=False)
    heartbeat(room)
    reds = [[0, 0, 2, 0, 0, 0, 0], [1, 0, 2, 0, 0, 0, 0]]
    assert [counts(socket) for socket in sockets] == [reds, reds, [[0, 0, 0, 0, 0, 0, 1]]]
    for other in (screen, console, unseated):
        assert counts(other) == []
    connection = FakeConnection()
    late = PhoneConsumer(connection.scope)
    late.room, late.voter = room, room.add_voter(late, Seat(1, "late", 2))
    late.welcome_again()
    assert '"team.counted"' in connection.texts[-1]
    assert '"counts":[0,0,0,0,0,0,1]' in connection.texts[-1]


@pytest.mark.parametrize("method", METHODS)
def test_own_counts_equal_final_counts_under_every_method(method: str, box: BallotBox) -> None:
    socket = voter("a", 1)
    turn, room = open_room(box, socket, tally_method=method, resign="half")
    vote(turn, box, red=CASES[method].cast)
    heartbeat(room)
    assert counts(socket) == [list(CASES[method].counts)]


def test_console_receives_counts_only_with_peek_in_an_open_window(box: BallotBox) -> None:
    console, screen, phone = FakeSocket(), FakeSocket(), voter("a", 1)
    turn, room = open_room(box, console, screen, phone, peek=True)
    event_id = turn.match.event_id
    room.sockets.consoles.add(console)

    def updates() -> int:
        """How often the console receives counts with a heartbeat. One script call serves it and the team."""
        console.writes.clear()
        assert heartbeat(room).count("peek") <= 1
        return sum("counts.updated" in frame for frame in console.frames)

    assert updates() == 1
    assert counts(phone) == [[0] * 7]
    assert not any("counts.updated" in frame for frame in (*phone.frames, *screen.frames))
    assert heartbeat(room, teams=False).count("peek") == 1, "for the console alone"
    Event.objects.filter(pk=event_id).update(peek=False)
    announce_edit(event_id, box.now())
    room.apply(latest(event_id))
    vote(turn, box, red=[3])
    assert updates() == 0
    Event.objects.filter(pk=event_id).update(peek=True)
    press(event_id, "turn.pause", box)
    room.apply(latest(event_id))
    assert updates() == 0


@pytest.mark.parametrize("secret", [{"game": SELECTOR}, {"max_side_changes": 1}])
def test_concealed_votes_and_secret_sides_have_no_counts(secret: dict[str, Any], box: BallotBox) -> None:
    console = FakeSocket()
    _, room = open_room(box, console, voter("a", 1), voter("b", 2), peek=True, **secret)
    room.sockets.consoles.add(console)
    assert "peek" not in heartbeat(room)


@pytest.mark.parametrize("end", ["option disabled", "next turn"])
def test_last_sent_counts_are_cleared_at_their_end(end: str, box: BallotBox) -> None:
    phone = voter("a", 1)
    turn, room = open_room(box, phone)
    heartbeat(room)
    assert room.last_sent.teams
    if end == "next turn":
        play_out(turn, box)
    else:
        Event.objects.filter(pk=turn.match.event_id).update(own_counts=False)
        announce_edit(turn.match.event_id, box.now())
    room.apply(latest(turn.match.event_id))
    assert "peek" not in heartbeat(room)
    assert (room.last_sent.teams, len(counts(phone))) == ({}, 1)


def test_team_not_to_move_receives_no_counts(box: BallotBox) -> None:
    red, yellow = voter("a", 1), voter("b", 2)
    turn, room = open_room(box, red, yellow, game=CLASSIC, options={"first": "yellow"})
    vote(turn, box, yellow=[4])
    heartbeat(room)
    assert (counts(red), counts(yellow)) == ([], [[0, 0, 0, 1, 0, 0, 0]])


async def test_counts_follow_revotes_and_lost_boxes(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    rng, current = Random(7), dict[str, Ballot]()
    fields, held, _ = turn.keys

    def cast_any(sequence: int) -> Ballot:
        choice = rng.randint(1, 7) + rng.choice([0, RESIGN, DRAW])
        return Ballot(rng.choice("abcdefghij"), rng.choice(SIDES), choice, sequence)

    def reads_so_far() -> int:
        return int(redis.info("commandstats").get("cmdstat_hvals", {"calls": 0})["calls"])

    async def is_counted(*, reads: int) -> bool:
        before = reads_so_far()
        counts = await gateway.live_counts(turn.event_id, turn.turn_id, 7, 1)
        by_column = Counter((ballot.side, ballot.choice % RESIGN) for ballot in current.values())
        expected = tuple([by_column[side, column] for column in range(1, 8)] for side in SIDES)
        return (counts, reads_so_far() - before) == (expected, reads)

    async with gateway_box() as gateway:
        assert await is_counted(reads=0), "no ballots"
        for first in range(1, 200, 5):
            batch = [cast_any(sequence) for sequence in range(first, first + 5)]
            await votes(gateway, turn, *batch)
            current |= {ballot.voter: ballot for ballot in batch}
            assert await is_counted(reads=0)
        redis.hdel(
            fields, *(f"votes:{ballot.side}:{ballot.choice}" for ballot in current.values())
        )  # as a server of an earlier version leaves it
        assert await is_counted(reads=1)
        assert await is_counted(reads=0)
        redis.hdel(held, current.popitem()[0])
        box.place(turn, create=True)
        assert await is_counted(reads=1)
        assert await is_counted(reads=0)

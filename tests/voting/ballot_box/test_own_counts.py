"""Own counts: phones see the current counts of their own team in events with that option."""

import asyncio
from typing import Any

import msgspec
import pytest

from games.models import Event
from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from tests.voting.counting.method_cases import CASES
from tests.voting.counting_box import CountingBox
from tests.voting.gateway_helpers import FakeSocket, latest, make_room, voter
from tests.voting.match_helpers import CLASSIC, open_now, run_out, start, vote
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import BoxClock
from voting.counting.methods import METHODS
from voting.gateway.event_room import EventRoom
from voting.gateway.presence import Presence
from voting.turns.closing import close_turn

TERMS = {"window_s": 600, "lobby": "open", "team_choice": "choose", "own_counts": True}


def counts(socket: FakeSocket) -> list[list[int]]:
    messages = (msgspec.json.decode(frame) for frame in socket.frames)
    return [message["counts"] for message in messages if message["type"] == "team.counted"]


def heartbeat(room: EventRoom, *, teams: bool = True) -> list[str]:
    """Send one heartbeat; return the scripts that it called."""

    async def once() -> list[str]:
        box = CountingBox()
        await Presence("a", box, BoxClock()).send_updates(room, phones=False, teams=teams)
        await box.close()
        return box.called

    return asyncio.run(once())


# ------------------------------------------------------------------ event room
@pytest.mark.django_db
def test_phones_receive_changed_counts_of_their_team(box: BallotBox) -> None:
    turn = start(box, own_counts=True)
    sockets = [voter("a", 1), voter("b", 1), voter("c", 2)]
    screen, console, unseated = FakeSocket(), FakeSocket(), FakeSocket()
    room = make_room(turn.match.event_id, screen, console, *sockets)
    room.consoles.add(console)
    room.add_unseated(unseated)
    assert "peek" not in heartbeat(room), "the window is not open yet"
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
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


@pytest.mark.django_db
@pytest.mark.parametrize("method", METHODS)
def test_own_counts_equal_final_counts_under_every_method(method: str, box: BallotBox) -> None:
    cast = CASES[method].cast
    turn = start(box, own_counts=True, tally_method=method, resign="half")
    socket = voter("a", 1)
    room = make_room(turn.match.event_id, socket)
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    vote(turn, box, red=cast)
    heartbeat(room)
    assert counts(socket) == [list(CASES[method].counts)]


@pytest.mark.django_db
def test_one_peek_serves_consoles_and_teams(box: BallotBox) -> None:
    turn = start(box, own_counts=True, peek=True)
    console, phone = FakeSocket(), voter("a", 1)
    room = make_room(turn.match.event_id, console, phone)
    room.consoles.add(console)
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    assert heartbeat(room).count("peek") == 1
    assert any("counts.updated" in frame for frame in console.frames)
    assert counts(phone) == [[0] * 7]
    assert not any("counts.updated" in frame for frame in phone.frames)


@pytest.mark.django_db
def test_disabling_own_counts_stops_reads_and_clears_last_sent(box: BallotBox) -> None:
    turn = start(box, own_counts=True)
    phone = voter("a", 1)
    room = make_room(turn.match.event_id, phone)
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    heartbeat(room)
    assert room.last_sent.teams
    Event.objects.filter(pk=turn.match.event_id).update(own_counts=False)
    announce_edit(turn.match.event_id, box.now())
    room.apply(latest(turn.match.event_id))
    assert "peek" not in heartbeat(room)
    assert (room.last_sent.teams, len(counts(phone))) == ({}, 1)


@pytest.mark.django_db
def test_own_counts_are_cleared_for_next_turn(box: BallotBox) -> None:
    turn = start(box, own_counts=True)
    room = make_room(turn.match.event_id, voter("a", 1))
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    heartbeat(room)
    assert room.last_sent.teams
    run_out(turn, box)
    close_turn(turn.pk, box)
    room.apply(latest(turn.match.event_id))
    assert room.last_sent.teams == {}


@pytest.mark.django_db
def test_team_not_to_move_receives_no_counts(box: BallotBox) -> None:
    turn = start(box, own_counts=True, game=CLASSIC, options={"first": "yellow"})
    red, yellow = voter("a", 1), voter("b", 2)
    room = make_room(turn.match.event_id, red, yellow)
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    vote(turn, box, yellow=[4])
    heartbeat(room)
    assert (counts(red), counts(yellow)) == ([], [[0, 0, 0, 1, 0, 0, 0]])


# ------------------------------------------------------------------ with a running server
def event_with_open_turn(server: Server, **terms: Any) -> dict[str, Any]:
    made = dict(server.ask("event", **(TERMS | terms)))
    return made | {"turn": server.ask("play_to", event_id=made["id"], picks=[])}


def voted(clients: SocketClients, made: dict[str, Any], team: int, choice: int) -> SocketClient:
    client, _ = clients.phone(made["code"], team=team)
    client.say("ballot.cast", turn=made["turn"], epoch=1, choice=choice, sequence=1)
    client.receive("ballot.counted")
    return client


def test_late_phone_receives_counts_of_its_team_at_once(server: Server, clients: SocketClients) -> None:
    made = event_with_open_turn(server)
    red, yellow = voted(clients, made, 1, 3), voted(clients, made, 2, 7)
    assert red.receive("team.counted", counts=[0, 0, 1, 0, 0, 0, 0])["turn"] == made["turn"]
    yellow.receive("team.counted", counts=[0, 0, 0, 0, 0, 0, 1])
    late, _ = clients.phone(made["code"], team=2)
    late.say("clock.ask", sent=1).receive("clock.synced", sent=1)
    messages = [message for message in late.received if message["type"] == "team.counted"]
    assert [message["counts"] for message in messages] == [[0, 0, 0, 0, 0, 0, 1]]
    others = [message["counts"] for message in yellow.received if message["type"] == "team.counted"]
    assert all(not any(counts[:6]) for counts in others)

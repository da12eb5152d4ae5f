"""Cheers: taps from the phones of all gateways are summed and shown on the displays."""

import asyncio
import json

import pytest

from tests.voting.box_helpers import CountingBox
from tests.voting.gateway_helpers import FakeConnection, FakeSocket, latest, make_room, voter
from tests.voting.match_helpers import (
    RED_WINS,
    new_event,
    only_turn,
    open_now,
    play,
    play_turn,
    reveal_ms,
    run_out,
)
from voting.admission.seats import Seat
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import BoxClock
from voting.ballot_box.cheers import Cheers
from voting.gateway.phone import CHEERS_PER_SECOND, PhoneConsumer
from voting.gateway.presence import Presence
from voting.protocol import CheerSend
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def counted(socket: FakeSocket) -> list[list[int]]:
    return [message["presses"] for message in socket.received if message["type"] == "cheers.counted"]


class TwoGateways:
    """An event at two gateways: a display and a console at the first, a phone at each."""

    def __init__(self, event_id: int) -> None:
        self.display, self.console = FakeSocket(), FakeSocket()
        self.phones = [voter("a", 1), voter("b", 2)]
        self.here = make_room(event_id, self.display, self.console, self.phones[0])
        self.there = make_room(event_id, self.phones[1])
        self.here.sockets.consoles.add(self.console)
        self.calls = {"here": 0, "there": 0}

    def press(self, here: int, there: int) -> None:
        self.here.heartbeat.cheers.press(1, here)
        self.there.heartbeat.cheers.press(2, there)

    async def heartbeat(self, here: int = 0, there: int = 0) -> None:
        """One heartbeat of each gateway after these taps, first of the one without a display."""
        self.press(here, there)
        for name, room in (("there", self.there), ("here", self.here)):
            box = CountingBox()
            await Presence(name, box, BoxClock()).send_updates(room, phones=True, teams=True)
            self.calls[name] += box.called.count("cheer")
            await box.close()


def test_cheers_of_all_gateways_go_to_displays_only_in_one_call_per_heartbeat(box: BallotBox) -> None:
    gateways = TwoGateways(new_event().pk)

    async def heartbeats() -> None:
        await gateways.heartbeat(3, 20)
        await gateways.heartbeat()
        assert gateways.calls == {"here": 2, "there": 1}
        for _ in range(999):
            gateways.press(0, 1)
        await gateways.heartbeat(5, 1)
        await gateways.heartbeat()
        assert gateways.calls == {"here": 4, "there": 2}
        gateways.there.heartbeat.cheers = Cheers()  # it restarts
        await gateways.heartbeat(0, 1)
        await gateways.heartbeat(2, 0)

    asyncio.run(heartbeats())
    assert counted(gateways.display) == [[3, 0], [5, 1_000], [2, 0]], "those there may be old at first"
    for socket in (gateways.console, *gateways.phones):
        assert counted(socket) == []


def test_cheers_from_before_a_window_are_dropped(box: BallotBox) -> None:
    event = new_event()
    turn = only_turn(start_match(event.pk, box))
    gateways = TwoGateways(event.pk)
    asyncio.run(gateways.heartbeat())
    gateways.press(7, 7)
    open_now(turn, box)
    for room in (gateways.here, gateways.there):
        room.apply(latest(event.pk))
    asyncio.run(gateways.heartbeat())
    assert counted(gateways.display) == []
    assert [room.heartbeat.cheers.pressed for room in (gateways.here, gateways.there)] == [[0, 0], [0, 0]]


def test_event_room_is_between_turns_in_lobby_talk_and_after_the_last_reveal(box: BallotBox) -> None:
    event = new_event(pace="normal")
    room = make_room(event.pk)
    assert room.is_between_turns(box.now()), "in the lobby"
    match = start_match(event.pk, box)
    turn = only_turn(match)
    room.apply(latest(event.pk))
    assert [room.is_between_turns(turn.opens_at + ms) for ms in (-1, 0)] == [True, False]
    open_now(turn, box)
    run_out(turn, box)
    room.apply(latest(event.pk))
    assert not room.is_between_turns(box.now()), "not closed yet"
    resolved_at = play_turn(turn, box, red=[1], yellow=[2]).resolved_at or 0
    room.apply(latest(event.pk))
    assert not room.is_between_turns(resolved_at + reveal_ms(turn) - 1)
    assert not room.is_between_turns(only_turn(match).opens_at)
    play(match, box, RED_WINS[1:])
    room.apply(latest(event.pk))
    assert room.state.match is not None
    assert room.state.match.state == "ended"
    assert [room.is_between_turns(box.now() + ms) for ms in (0, reveal_ms(turn))] == [False, True]


def test_phone_cheers_at_a_limited_rate_between_turns(box: BallotBox) -> None:
    event, connection = new_event(), FakeConnection()
    room, phone = make_room(event.pk), PhoneConsumer(connection.scope)
    room.now = box.now
    phone.voter = room.add_voter(phone, Seat(event.pk, "a", 2))
    for presses in (20, *[1] * 20):
        phone.handle_joined(CheerSend(presses), room)
    yellow = room.heartbeat.cheers.pressed[1]
    assert 20 < yellow <= 20 + CHEERS_PER_SECOND
    assert connection.texts == []
    for wrong in (0, 21):
        phone.handle_message(b'{"type":"cheer.send","presses":%d}' % wrong)
    assert [json.loads(text)["code"] for text in connection.texts] == ["malformed"] * 2
    open_now(only_turn(start_match(event.pk, box)), box)
    room.apply(latest(event.pk))
    other = PhoneConsumer(connection.scope)
    other.voter = room.add_voter(other, Seat(event.pk, "b", 2))
    other.handle_joined(CheerSend(1), room)
    assert room.heartbeat.cheers.pressed == [0, yellow]

"""Turnout: who receives it, and the figures beside it."""

import asyncio
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from django.db import connections

from tests.voting.gateway.presence_helpers import connected, with_presence
from tests.voting.gateway_helpers import (
    FakeSocket,
    join_room,
    latest,
    make_room,
    open_room,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import ballots, new_event, only_turn, open_now, run_out, start, vote
from voting.announcements.channel_layer import LayerMessage
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import Turnout
from voting.gateway import heartbeats
from voting.gateway.gateway import Gateway
from voting.gateway.presence import Presence
from voting.turns.closing import close_turn
from voting.turns.turns import start_match, to_boxed_turn

pytestmark = pytest.mark.django_db(transaction=True)


def test_busy_gateway_sends_turnout_to_screens_only(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    event, screen, phone = new_event(), FakeSocket(), voter("a", 1)
    monkeypatch.setattr(heartbeats, "PHONES_EVERY_HEARTBEATS", 1)
    monkeypatch.setattr(heartbeats, "MAX_LAG_S", 0.0)  # every heartbeat counts as late

    async def scenario(gateway: Gateway) -> None:
        await open_room(gateway, event.code, screen, phone)
        await until(lambda: connected(screen) == [[1, 0]])
        await asyncio.sleep(1.2)
        assert connected(phone) == []
        monkeypatch.setattr(heartbeats, "MAX_LAG_S", 60.0)
        await until(lambda: connected(phone) == [[1, 0]])

    with_gateway(scenario)


@pytest.mark.parametrize("bank_s", [None, 60])
def test_phones_receive_turnout_only_while_they_show_it(box: BallotBox, bank_s: int | None) -> None:
    """They show it before the first match, and picks in a match with clocks."""
    event = new_event(bank_s=bank_s, window_s=60)
    screen, phone = FakeSocket(), voter("a", 1)
    room = make_room(event.pk, screen, phone)

    def heartbeat() -> list[int]:
        """A heartbeat with another voter; the numbers of turnouts that screen and phone received."""
        join_room(room, voter(f"v{len(room.voters)}", 1))
        for socket in (screen, phone):
            socket.frames.clear()
        with_presence(AsyncBallotBox(), lambda presence: presence.send_updates(room, phones=True, teams=True))
        return [len(connected(socket)) for socket in (screen, phone)]

    assert heartbeat() == [1, 1]
    turn = only_turn(start_match(event.pk, box))
    room.apply(latest(event.pk))
    assert heartbeat() == [1, int(bank_s is not None)]
    open_now(turn, box)
    assert heartbeat() == [1, int(bank_s is not None)]


@pytest.mark.django_db(transaction=True)
def test_late_turnout_is_not_reported_for_next_turn(box: BallotBox) -> None:
    turn, screen = start(box), FakeSocket()
    room = make_room(turn.match.event_id, screen)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])

    class SlowBox(AsyncBallotBox):
        """A box whose answer arrives when the room is in the next turn."""

        async def heartbeat(self, *args: Any) -> Turnout:
            turnout = await super().heartbeat(*args)
            room.apply(await asyncio.to_thread(close_and_announce))
            return turnout

    def close_and_announce() -> LayerMessage:
        run_out(turn, box)
        close_turn(turn.pk, box)
        copy = latest(turn.match.event_id)
        connections.close_all()
        return copy

    with_presence(SlowBox(), lambda presence: presence.send_updates(room, phones=True, teams=True))
    assert screen.frames == []
    with_presence(AsyncBallotBox(), lambda presence: presence.send_updates(room, phones=True, teams=True))
    [message] = map(msgspec.json.decode, screen.frames)
    assert (message["turn"], message["voted"]) == (room.turn_ref[0], [0, 0])


def test_screens_receive_votes_per_second_of_first_votes(box: BallotBox) -> None:
    turn, screen = start(box), FakeSocket()
    room = make_room(turn.match.event_id, screen)
    open_now(turn, box)
    times = iter((0, 1_000, 2_000, 4_000))

    class SteadyBox(AsyncBallotBox):
        """A box whose clock is set by the test."""

        async def heartbeat(self, *args: Any) -> Turnout:
            return replace(await super().heartbeat(*args), now=next(times))

    async def scenario(presence: Presence) -> None:
        for ballots_cast in (
            ballots("red", [3]),
            ballots("red", [3, 3, 3]) + ballots("yellow", [4]),
            ballots("red", [5, 5, 5], sequence=2),
            ballots("yellow", [4, 4, 4, 4, 4]),
        ):
            box.cast(to_boxed_turn(turn), ballots_cast)
            await presence.send_updates(room, phones=True, teams=False)

    with_presence(SteadyBox(), scenario)
    assert [msgspec.json.decode(frame)["votes_per_s"] for frame in screen.frames] == [0, 3, 0, 2]


def test_screens_receive_number_of_reconnecting_voters(box: BallotBox) -> None:
    event, screen, phones = new_event(), FakeSocket(), [voter(name, 1) for name in "abc"]
    room = make_room(event.pk, screen, *phones)

    async def scenario(presence: Presence) -> None:
        await presence.send_updates(room, phones=True, teams=True)
        for phone in phones[:2]:
            room.leave(phone, phone.seat)
        await presence.send_updates(room, phones=True, teams=True)
        join_room(room, phones[1])
        await presence.send_updates(room, phones=True, teams=True)

    with_presence(AsyncBallotBox(), scenario)
    assert [figures["reconnecting"] for figures in sent_figures(screen)] == [0, 2, 1]
    assert {figures["reconnecting"] for figures in sent_figures(phones[2])} == {0}


def test_screens_receive_number_of_changed_votes(box: BallotBox) -> None:
    turn, screen = start(box), FakeSocket()
    room = make_room(turn.match.event_id, screen)
    open_now(turn, box)
    placed = to_boxed_turn(turn)

    async def scenario(presence: Presence) -> None:
        for ballots_cast in (
            ballots("red", [3, 3, 3]),
            ballots("red", [5, 5], sequence=2),
            ballots("red", [5, 5], sequence=2),  # sent again
            ballots("yellow", [4]),
        ):
            box.cast(placed, ballots_cast)
            await presence.send_updates(room, phones=True, teams=False)

    with_presence(AsyncBallotBox(), scenario)
    assert [figures["changed"] for figures in sent_figures(screen)] == [0, 2, 2]


def sent_figures(socket: FakeSocket) -> list[dict[str, int]]:
    messages = (msgspec.json.decode(frame) for frame in socket.frames)
    return [message["figures"] for message in messages if message["type"] == "turnout.counted"]

"""Turnout: who receives it, and the figures beside it."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.voting.gateway.presence_helpers import connected, send_updates, turnouts
from tests.voting.gateway_helpers import (
    FakeSocket,
    in_a_thread,
    join_room,
    latest,
    make_room,
    open_room,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import ballots, new_event, only_turn, open_now, play_out, start, vote
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import Turnout
from voting.gateway import heartbeats
from voting.gateway.gateway import Gateway
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

    def received(name: str) -> list[int]:
        """How many turnouts screen and phone receive after another voter has joined."""
        before = [len(turnouts(socket)) for socket in (screen, phone)]
        send_updates(room, lambda: join_room(room, voter(name, 1)), teams=True)
        return [len(turnouts(screen)) - before[0], len(turnouts(phone)) - before[1]]

    assert received("b") == [1, 1]
    turn = only_turn(start_match(event.pk, box))
    room.apply(latest(event.pk))
    assert received("c") == [1, int(bank_s is not None)]
    open_now(turn, box)
    assert received("d") == [1, int(bank_s is not None)]


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
            await in_a_thread(lambda: play_out(turn, box))
            room.apply(await in_a_thread(lambda: latest(turn.match.event_id)))
            return turnout

    send_updates(room, box=SlowBox)
    assert screen.frames == []
    send_updates(room)
    [message] = turnouts(screen)
    assert (message["turn"], message["voted"]) == (room.turn_ref[0], [0, 0])


def test_screens_receive_votes_per_second_and_number_of_changed_votes(box: BallotBox) -> None:
    turn, screen = start(box), FakeSocket()
    room = make_room(turn.match.event_id, screen)
    open_now(turn, box)
    times = iter((0, 1_000, 2_000, 3_000, 4_000, 6_000))

    class SteadyBox(AsyncBallotBox):
        """A box whose clock is set by the test."""

        async def heartbeat(self, *args: Any) -> Turnout:
            return replace(await super().heartbeat(*args), now=next(times))

    cast = (
        ballots("red", [3]),
        ballots("red", [3, 3, 3]) + ballots("yellow", [4]),
        ballots("red", [5, 5], sequence=2),
        ballots("red", [5, 5], sequence=2),  # sent again
        ballots("red", [4, 4, 4, 4], sequence=3),
        ballots("yellow", [4, 4, 4, 4, 4]),
    )
    send_updates(room, *(partial(box.cast, to_boxed_turn(turn), group) for group in cast), box=SteadyBox)
    sent = turnouts(screen)
    assert [turnout["votes_per_s"] for turnout in sent] == [0, 3, 0, 1, 2]
    assert [turnout["figures"]["changed"] for turnout in sent] == [0, 0, 2, 5, 5]


def test_screens_receive_number_of_reconnecting_voters(box: BallotBox) -> None:
    screen, phones = FakeSocket(), [voter(name, 1) for name in "abc"]
    room = make_room(new_event().pk, screen, *phones)

    def leave() -> None:
        for phone in phones[:2]:
            room.leave(phone, phone.seat)

    send_updates(room, int, leave, lambda: join_room(room, phones[1]), teams=True)
    reconnecting = [
        [shown["figures"]["reconnecting"] for shown in turnouts(one)] for one in (screen, phones[2])
    ]
    assert reconnecting == [[0, 2, 1], [0, 0, 0]]

"""The heartbeat of a gateway: turnout during outages, rehearsal updates, early close and time banks."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import pytest
from django.db import OperationalError, connections
from redis import Redis

from tests.voting.box_helpers import queued_tasks
from tests.voting.gateway_helpers import (
    FakeSocket,
    cast,
    join_room,
    latest,
    make_room,
    open_room,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import ballots, new_event, only_turn, open_now, run_out, start, vote
from voting import protocol
from voting.admission.seats import Seat
from voting.announcements.channel_layer import LayerMessage
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxClock, Turnout, event_key
from voting.gateway import gateway as gateways
from voting.gateway.gateway import Gateway
from voting.gateway.presence import Presence, may_move_deadline
from voting.gateway.supplements import send_rehearsal
from voting.protocol import RehearsalUpdated
from voting.turns.closing import close_turn
from voting.turns.turns import change_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db(transaction=True)


def connected(socket: FakeSocket) -> list[Any]:
    """The connected counts of the turnouts that the socket received."""
    messages = (msgspec.json.decode(frame) for frame in socket.frames)
    return [message["connected"] for message in messages if message["type"] == "turnout.counted"]


def test_heartbeat_continues_while_database_hangs(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    event, screen, back = new_event(), FakeSocket(), threading.Event()

    def hang_then_fail(_: object) -> dict[int, int]:
        back.wait(30)
        raise OperationalError("it is away")

    def is_connected(number: int) -> bool:
        return [number, 0] in connected(screen)

    async def scenario(gateway: Gateway) -> None:
        room = await open_room(gateway, event.code, screen)
        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", hang_then_fail)
        try:
            for number in (1, 2, 3):
                join_room(room, voter(f"v{number}", 1))
                await until(partial(is_connected, number))
        finally:
            back.set()
        await until(lambda: "it is away" in caplog.text)

    with_gateway(scenario)


def test_heartbeat_failure_of_one_room_affects_no_other(
    valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    events, screen = [new_event(), new_event()], FakeSocket()

    def spoil() -> None:
        with Redis.from_url(valkey_url) as redis:
            redis.set(event_key(events[0].pk, "gateways"), "spoilt")

    async def scenario(gateway: Gateway) -> None:
        await open_room(gateway, events[0].code)
        room = await open_room(gateway, events[1].code)
        await asyncio.to_thread(spoil)
        await until(lambda: "heartbeat failed: " in caplog.text)
        for socket in (screen, voter("a", 2)):
            join_room(room, socket)
        await until(lambda: [0, 1] in connected(screen))

    with_gateway(scenario)


def test_gateway_logs_number_of_slow_consumers(valkey_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(gateway: Gateway) -> None:
        gateway.slow_consumers += 3
        await until(lambda: [vars(record).get("sockets") for record in caplog.records] == [3])
        await asyncio.sleep(1.2)

    with caplog.at_level(logging.INFO, "voting"):
        with_gateway(scenario)
    assert [vars(record).get("sockets") for record in caplog.records] == [3]


def test_busy_gateway_sends_turnout_to_screens_only(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    event, screen, phone = new_event(), FakeSocket(), voter("a", 1)
    monkeypatch.setattr(gateways, "PHONES_EVERY_HEARTBEATS", 1)
    monkeypatch.setattr(gateways, "MAX_LAG_S", 0.0)  # every heartbeat counts as late

    async def scenario(gateway: Gateway) -> None:
        await open_room(gateway, event.code, screen, phone)
        await until(lambda: connected(screen) == [[1, 0]])
        await asyncio.sleep(1.2)
        assert connected(phone) == []
        monkeypatch.setattr(gateways, "MAX_LAG_S", 60.0)
        await until(lambda: connected(phone) == [[1, 0]])

    with_gateway(scenario)


def with_presence(box: AsyncBallotBox, scenario: Callable[[Presence], Awaitable[None]]) -> None:
    async def held() -> None:
        await scenario(Presence("a", box, BoxClock()))
        await box.close()

    asyncio.run(held())


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
def test_send_rehearsal_updates_consoles_and_ends_once(
    last: RehearsalUpdated | None, valkey_url: str
) -> None:
    console, screen = FakeSocket(), FakeSocket()
    room = make_room(new_event().pk, console, screen)
    room.sockets.consoles.add(console)
    on = rehearsed(1, running=True)
    for update in (None, on, on, last, last, None, None, on):
        send_rehearsal(room, update)
    assert [msgspec.json.decode(frame)["running"] for frame in console.frames] == [True, True, False, True]
    assert screen.frames == []
    room.leave(console, None)
    send_rehearsal(room, on)
    assert len(console.frames) == 4


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


@pytest.mark.parametrize(("hands", "voted", "requests"), [(False, 2, 4), (False, 1, 0), (True, 1, 19)])
def test_early_close_requests_back_off_unless_hands_vote(
    hands: bool, voted: int, requests: int, box: BallotBox, valkey_url: str
) -> None:
    """In twenty heartbeats, a gateway requests an early close after two, four, eight and sixteen.

    With a show of hands it requests one each time, because gateways are not notified of counted hands.
    """
    event = new_event(close_early=True)
    event.teams.filter(number=2).update(hands=hands)
    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4][: voted - 1])
    names = ["red1"] if hands else ["red1", "yellow1"]
    sockets = [FakeSocket(Seat(event.pk, name, team)) for team, name in enumerate(names, 1)]
    room = make_room(event.pk, *sockets)
    cast(room, *names[:voted])

    async def scenario(presence: Presence) -> None:
        for _ in range(20):
            await presence.send_updates(room, phones=False, teams=False)

    with_presence(AsyncBallotBox(), scenario)
    assert len(queued_tasks(valkey_url)) == requests


# ------------------------------------------------------------------ picks that move the deadline
DUEL: dict[str, Any] = {"bank_s": 60, "window_s": 60, "close_early": True}
FORFEIT, RANDOM = DUEL | {"no_ballot_rule": "forfeit"}, DUEL | {"no_ballot_rule": "random"}
BOTH = ["red", "yellow"]


@pytest.mark.parametrize(
    ("terms", "closes_after_s", "here", "picks", "moves"),
    [
        (FORFEIT, 10, BOTH, ["yellow"], False),  # red's time still ends the turn
        (FORFEIT, 10, BOTH, ["red"], True),  # yellow has longer
        (FORFEIT, 10, BOTH, BOTH, True),
        (FORFEIT | {"cap_s": 30}, 10, BOTH, ["yellow"], False),
        (FORFEIT | {"cap_s": 30}, 10, BOTH, ["red"], True),
        (RANDOM, 50, BOTH, ["red"], False),  # the side with more time sets the deadline
        (RANDOM, 50, BOTH, ["yellow"], True),
        (FORFEIT, 10, ["yellow"], ["yellow"], True),  # the other player is not connected
        (DUEL, None, BOTH, ["red"], True),  # equal banks: the other may have picked at another gateway
        (FORFEIT | {"cap_s": 10}, 10, BOTH, ["red"], True),
        ({}, None, BOTH, ["red"], False),  # no time bank
    ],
)
def test_pick_moves_deadline_of_time_bank(
    box: BallotBox,
    *,
    terms: dict[str, Any],
    closes_after_s: int | None,
    here: list[str],
    picks: list[str],
    moves: bool,
) -> None:
    """Red has 10 s left and yellow 50 s, unless `closes_after_s` is None."""
    turn = start(box, **terms)
    if closes_after_s:
        times = {"red_bank_ms": 10_000, "yellow_bank_ms": 50_000}
        change_turn(turn, protocol.TurnMoved, box, **times, closes_at=turn.opens_at + closes_after_s * 1000)
    room = make_room(turn.match.event_id, *(voter(side, BOTH.index(side) + 1) for side in here))
    cast(room, *picks)
    assert may_move_deadline(room) is moves

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.voting.box_helpers import queued_tasks
from tests.voting.gateway_helpers import (
    FakeSocket,
    cast,
    in_a_thread,
    join_room,
    latest,
    make_room,
    open_gateway,
    open_room,
    until,
    voter,
)
from tests.voting.match_helpers import ballots, new_event, only_turn, open_now, play_out, start, vote
from voting import protocol
from voting.admission.seats import Seat
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import BoxClock
from voting.ballot_box.box_types import Turnout
from voting.counting.ballots import Ballot
from voting.gateway import heartbeats
from voting.gateway.event_room import EventRoom
from voting.gateway.presence import Presence, may_move_deadline
from voting.sources.casting import cast_pick
from voting.terms import HANDS, PHONES
from voting.turns.turns import change_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db(transaction=True)
Step = Callable[[], object]
DUEL: dict[str, Any] = {"bank_s": 60, "window_s": 60, "close_early": True}
FORFEIT, RANDOM = DUEL | {"no_ballot_rule": "forfeit"}, DUEL | {"no_ballot_rule": "random"}
BOTH = ["red", "yellow"]
RED = Ballot("v1", "red", 5, 1, blind="ab" * 16)
CORRESPONDENCE = {"bank_s": 86_400, "window_s": 86_400}


def turnouts(socket: FakeSocket) -> list[Any]:
    return [message for message in socket.received if message["type"] == "turnout.counted"]


def connected(socket: FakeSocket) -> list[Any]:
    return [turnout["connected"] for turnout in turnouts(socket)]


def send_updates(
    room: EventRoom, *steps: Step, box: type[AsyncBallotBox] = AsyncBallotBox, teams: bool = False
) -> None:
    async def scenario() -> None:
        own = box()
        presence = Presence("a", own, BoxClock())
        for step in steps or (int,):
            step()
            await presence.send_updates(room, phones=True, teams=teams)
        await own.close()

    asyncio.run(scenario())


async def test_busy_gateway_sends_to_screens_only(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    event, screen, phone = await in_a_thread(new_event), FakeSocket(), voter("a", 1)
    monkeypatch.setattr(heartbeats, "PHONES_EVERY_HEARTBEATS", 1)
    monkeypatch.setattr(heartbeats, "MAX_LAG_S", 0.0)  # every heartbeat counts as late
    async with open_gateway() as gateway:
        await open_room(gateway, event.code, screen, phone)
        await until(lambda: connected(screen) == [[1, 0]])
        await asyncio.sleep(1.2)
        assert connected(phone) == []
        monkeypatch.setattr(heartbeats, "MAX_LAG_S", 60.0)
        await until(lambda: connected(phone) == [[1, 0]])


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
    last = turnouts(screen)[-1]
    assert (last["picked_at"] is None, last["watching"]) == (bank_s is None, 0), "and who watches in duels"


@pytest.mark.parametrize("late", ["heartbeat", "live_counts"])
def test_late_figures_are_not_sent(late: str, box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    turn, screen, phone = start(box, own_counts=True), FakeSocket(), voter("a", 1)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    room, ask = make_room(turn.match.event_id, screen, phone), getattr(AsyncBallotBox, late)

    async def answer_in_the_next_turn(*args: Any) -> Any:
        answer = await ask(*args)
        await in_a_thread(lambda: play_out(turn, box))
        room.apply(await in_a_thread(lambda: latest(turn.match.event_id)))
        return answer

    with monkeypatch.context() as slow_box:
        slow_box.setattr(AsyncBallotBox, late, answer_in_the_next_turn)
        send_updates(room, teams=True)
    assert room.turn_ref[0] > turn.pk
    assert phone.frames == []
    send_updates(room)
    *earlier, message = turnouts(screen)
    assert [turnout["turn"] for turnout in earlier] == [turn.pk] * (late == "live_counts")
    assert (message["turn"], message["voted"]) == (room.turn_ref[0], [0, 0])


def test_screens_receive_votes_per_second_and_number_of_changed_votes(box: BallotBox) -> None:
    turn, screen = start(box), FakeSocket()
    room = make_room(turn.match.event_id, screen)
    open_now(turn, box)
    times = iter((0, 1_000, 2_000, 3_000, 4_000, 6_000))

    class SteadyBox(AsyncBallotBox):
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
    for socket, reconnecting in ((screen, [0, 2, 1]), (phones[2], [0, 0, 0])):
        assert [turnout["figures"]["reconnecting"] for turnout in turnouts(socket)] == reconnecting


@pytest.mark.parametrize(("hands", "voted", "requests"), [(False, 2, 4), (False, 1, 0), (True, 1, 19)])
def test_close_backs_off(hands: bool, voted: int, requests: int, box: BallotBox, valkey_url: str) -> None:
    """In twenty heartbeats, a gateway requests an early close after two, four, eight and sixteen.

    With a show of hands it requests one each time, because gateways are not notified of counted hands.
    """
    event = new_event(close_early=True)
    event.teams.filter(number=2).update(source=HANDS if hands else PHONES)
    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4][: voted - 1])
    names = ["red1"] if hands else ["red1", "yellow1"]
    sockets = [FakeSocket(Seat(event.pk, name, team)) for team, name in enumerate(names, 1)]
    room = make_room(event.pk, *sockets)
    cast(room, *names[:voted])

    send_updates(room, *[int] * 20)
    assert len(queued_tasks(valkey_url)) == requests


@pytest.mark.parametrize(
    ("terms", "limit_s", "here", "picks", "moves"),
    [
        (FORFEIT, 10, BOTH, ["yellow"], False),  # red's time still ends the turn
        (FORFEIT, 10, BOTH, ["red"], True),  # yellow has longer
        (FORFEIT, 10, BOTH, BOTH, True),
        (RANDOM, 50, BOTH, ["red"], False),  # the side with more time sets the deadline
        (RANDOM, 50, BOTH, ["yellow"], True),
        (FORFEIT, 10, ["yellow"], ["yellow"], True),  # the other player is not connected
        (DUEL, 0, BOTH, ["red"], True),  # equal banks: the other may have picked at another gateway
        (FORFEIT | {"cap_s": 10}, 10, BOTH, ["red"], True),
        (FORFEIT | {"cap_s": 30}, 30, BOTH, ["red"], False),  # yellow may use only these 30 s
        ({}, 0, BOTH, ["red"], False),  # no time bank
    ],
)
def test_pick_moves_deadline_of_time_bank(
    box: BallotBox, terms: dict[str, Any], limit_s: int, here: list[str], picks: list[str], *, moves: bool
) -> None:
    """Red has 10 s left and yellow 50 s, unless `limit_s` is 0."""
    turn = start(box, **terms)
    if limit_s:
        times = {"red_bank_ms": 10_000, "yellow_bank_ms": 50_000}
        change_turn(turn, protocol.TurnMoved, box, **times, closes_at=turn.opens_at + limit_s * 1000)
    room = make_room(turn.match.event_id, *(voter(side, BOTH.index(side) + 1) for side in here))
    cast(room, *picks)
    assert may_move_deadline(room) is moves


@pytest.mark.parametrize(
    ("terms", "voted_here", "shown"),
    [(CORRESPONDENCE, False, [("v1", 5)]), (CORRESPONDENCE, True, []), ({}, False, [])],
    ids=["once", "not if they voted here", "not in an event"],
)
def test_player_receives_pick_cast_by_a_worker(
    terms: dict[str, int], voted_here: bool, shown: list[tuple[str, int]], box: BallotBox
) -> None:
    turn = start(box, **terms)
    open_now(turn, box)
    red, yellow = voter("v1", 1), voter("v2", 2)
    room = make_room(turn.match.event_id, red, yellow)
    cast_pick(turn, RED, box)
    if voted_here:
        room.count_vote(room.voters["v1"], room.turn_ref)
    send_updates(room, int, int)
    assert [(ballot.voter, ballot.choice) for ballot in red.ballots_shown] == shown
    assert (red.welcomed_again, yellow.welcomed_again) == (len(shown), 0)
    if shown:
        assert (room.waiting_on("red"), room.waiting_on("yellow")) == (0, 1)

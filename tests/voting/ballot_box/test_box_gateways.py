import asyncio
import json

import pytest
from redis import Redis

from tests.voting import match_helpers as helpers
from tests.voting.box_helpers import EVENT, R1, TURN, Y2, CountingBox, ask, cast, heartbeat
from tests.voting.gateway_helpers import FakeConnection, FakeSocket, latest, make_room, voter
from voting.admission.seats import Seat
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import FAST_REPLY_MS, MIN_STEP_MS, OFFSET_STALE_MS, BoxClock, local_ms
from voting.ballot_box.box_types import BoxedTurn, TeamWish, Turnout, event_key, turn_keys
from voting.ballot_box.cheers import Cheers
from voting.ballot_box.heartbeats import GATEWAY_STALE_MS, RECONNECT_GRACE_MS
from voting.counting.ballots import Ballot
from voting.gateway.phone import CHEERS_PER_SECOND, PhoneConsumer
from voting.gateway.presence import Presence
from voting.protocol import CheerSend
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_assign_teams_balances_teams_and_grants_chosen_team(redis: Redis) -> None:
    def assign(*teams: int, is_offered: bool = False) -> list[int]:
        return ask(lambda box: box.assign_teams(EVENT, [TeamWish(team, is_offered) for team in teams]))

    assert assign(0, 0, 0, 0) == [1, 2, 1, 2]
    assert 0 < redis.ttl(event_key(EVENT, "joined")) <= 30 * 24 * 3600
    assert assign(2, 2, 2) == [2, 2, 2]
    assert assign(0, 0, 0, 0, 0) == [1, 1, 1, 1, 2]
    # 6 and 6 before: an offered team must not be larger by a twentieth.
    assert assign(2, 2, 2, is_offered=True) == [2, 1, 2]
    assign(*[1] * 20, *[2] * 20)
    assert assign(2, 2, 2, is_offered=True) == [2, 2, 1]  # of 55, a lead of two is tolerated


def test_ballots_of_returns_counted_ballot(turn: BoxedTurn) -> None:
    cast(turn, R1, Ballot("v1", "red", 5, 2))
    newest = {"v1": Ballot("v1", "red", 5, 2, 2)}
    assert ask(lambda box: box.load_ballots(EVENT, TURN, ["v2", "v1", "v1"])) == newest
    assert ask(lambda box: box.load_ballots(EVENT, TURN + 1, ["v1"])) == {}


def test_heartbeat_sums_all_gateways_once_their_turns_agree(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1, Y2)
    heartbeat(TURN - 1, gateway="a")
    assert heartbeat(gateway="b", waiting=4).waiting is None
    assert heartbeat(gateway="a", waiting=4).waiting == 8
    heartbeat(gateway="a", connected=(3, 4), waiting=5)
    before = box.now()
    turnout = heartbeat(gateway="b", connected=(10, 20), waiting=2)
    assert turnout == Turnout(turnout.now, (13, 24), 7, 1, 1)
    assert before <= turnout.now <= box.now()
    assert heartbeat(gateway="b", connected=(1, 1), waiting=0).connected == (4, 5)


def test_heartbeat_drops_stale_gateway(turn: BoxedTurn, box: BallotBox, redis: Redis) -> None:
    silent_since = box.now() - GATEWAY_STALE_MS - 1
    redis.hset(event_key(EVENT, "gateways"), "dead", f"{silent_since} {TURN}.1 100 100 9")
    redis.hset(event_key(EVENT, "gateways"), "slow", f"{silent_since + GATEWAY_STALE_MS} {TURN}.1 1 1 1")
    redis.hset(event_key(EVENT, "watchers"), mapping={"dead": f"{silent_since} 7"})
    turnout = heartbeat(gateway="a", connected=(5, 5), watching=2)
    assert (turnout.connected, turnout.waiting, turnout.watching) == ((6, 6), 1, 2)
    assert set(redis.hkeys(event_key(EVENT, "gateways"))) == {b"slow", b"a"}


def test_heartbeat_waits_a_while_for_voters_who_just_disconnected(turn: BoxedTurn, redis: Redis) -> None:
    """Voters may be reconnecting: it is not enough that all who are connected have voted."""
    most = event_key(EVENT, "most")
    heartbeat(gateway="a", connected=(1, 2), waiting=0)
    for _ in range(2):
        ask(lambda box: box.leave(EVENT, "a"))
    turnout = heartbeat(gateway="b", connected=(1, 0), waiting=0)
    assert (turnout.connected, turnout.waiting) == ((1, 0), 2)
    assert heartbeat(gateway="b", connected=(1, 2), waiting=1).waiting == 1
    redis.pexpire(most, RECONNECT_GRACE_MS - 5_000)
    assert heartbeat(gateway="b", connected=(1, 1), waiting=0).waiting == 1
    assert 0 < redis.pttl(most) <= RECONNECT_GRACE_MS - 5_000
    redis.pexpire(most, 0)
    assert heartbeat(gateway="b", connected=(1, 1), waiting=0).waiting == 0
    assert redis.pttl(most) > RECONNECT_GRACE_MS - 5_000


def test_event_keys_share_hash_slot(turn: BoxedTurn) -> None:
    keys = [*turn_keys(EVENT, TURN), *(event_key(EVENT, name) for name in ("joined", "gateways", "most"))]
    assert len(set(keys)) == 6
    assert {key.split("{")[1].split("}")[0] for key in keys} == {str(EVENT)}


def test_box_clock_takes_midpoint_and_slow_answer_only_if_stale() -> None:
    clock = BoxClock()
    clock.observe(1_000_010, asked=0, answered=20)
    assert clock.offset_ms == 1_000_000
    assert 999_990 <= clock.now() - local_ms() <= 1_000_010
    clock = BoxClock()
    clock.observe(1_000, asked=0, answered=FAST_REPLY_MS * 4)
    first = clock.offset_ms
    clock.observe(1_000 + int(MIN_STEP_MS), asked=1_000, answered=1_000 + FAST_REPLY_MS * 4)
    assert clock.offset_ms == first
    clock.observe(9_000, asked=OFFSET_STALE_MS * 2, answered=OFFSET_STALE_MS * 2 + FAST_REPLY_MS * 4)
    assert clock.offset_ms != first


@pytest.mark.parametrize("step", [300_000, -300_000])
def test_box_clock_follows_step_despite_slow_answer(step: int) -> None:
    clock = BoxClock()
    clock.observe(1_000_000, asked=0, answered=2)
    box_ms, asked, answered = 1_010_000 + step, 9_000, 10_000
    assert abs(clock.step(box_ms, asked, answered) - step) <= answered - asked
    clock.observe(box_ms, asked, answered)
    assert abs((clock.offset_ms or 0) - 1_000_000 - step) <= answered - asked
    assert clock.step(box_ms + 1_000, asked + 1_000, answered + 1_000) == 0


def test_box_clock_ignores_freeze_and_small_drift() -> None:
    clock = BoxClock()
    clock.observe(1_000_000, asked=0, answered=0)
    assert clock.step(1_045_000, asked=0, answered=45_000) == 0
    assert clock.step(1_000_000, asked=0, answered=45_000) == 0
    assert clock.step(1_000_000 + int(MIN_STEP_MS), asked=0, answered=0) == 0


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
    gateways = TwoGateways(helpers.new_event().pk)

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
    event = helpers.new_event()
    turn = helpers.only_turn(start_match(event.pk, box))
    gateways = TwoGateways(event.pk)
    asyncio.run(gateways.heartbeat())
    gateways.press(7, 7)
    helpers.open_now(turn, box)
    for room in (gateways.here, gateways.there):
        room.apply(latest(event.pk))
    asyncio.run(gateways.heartbeat())
    assert counted(gateways.display) == []
    assert [room.heartbeat.cheers.pressed for room in (gateways.here, gateways.there)] == [[0, 0], [0, 0]]


def test_event_room_is_between_turns_in_lobby_talk_and_after_the_last_reveal(box: BallotBox) -> None:
    event = helpers.new_event(pace="normal")
    room = make_room(event.pk)
    assert room.is_between_turns(box.now()), "in the lobby"
    match = start_match(event.pk, box)
    turn = helpers.only_turn(match)
    room.apply(latest(event.pk))
    assert [room.is_between_turns(turn.opens_at + ms) for ms in (-1, 0)] == [True, False]
    helpers.open_now(turn, box)
    helpers.run_out(turn, box)
    room.apply(latest(event.pk))
    assert not room.is_between_turns(box.now()), "not closed yet"
    resolved_at = helpers.play_turn(turn, box, red=[1], yellow=[2]).resolved_at or 0
    room.apply(latest(event.pk))
    assert not room.is_between_turns(resolved_at + helpers.reveal_ms(turn) - 1)
    assert not room.is_between_turns(helpers.only_turn(match).opens_at)
    helpers.play(match, box, helpers.RED_WINS[1:])
    room.apply(latest(event.pk))
    assert room.state.match is not None
    assert room.state.match.state == "ended"
    assert [room.is_between_turns(box.now() + ms) for ms in (0, helpers.reveal_ms(turn))] == [False, True]


def test_phone_cheers_at_a_limited_rate_between_turns(box: BallotBox) -> None:
    event, connection = helpers.new_event(), FakeConnection()
    room, phone = make_room(event.pk), PhoneConsumer(connection.scope)
    room.now = box.now
    phone.voter = room.add_voter(phone, Seat(event.pk, "a", 1))
    phone.voter.team = 2  # moved by the organizer
    for presses in (20, *[1] * 20):
        phone.handle_joined(CheerSend(presses), room)
    yellow = room.heartbeat.cheers.pressed[1]
    assert 20 < yellow <= 20 + CHEERS_PER_SECOND
    assert connection.texts == []
    for wrong in (0, 21):
        phone.handle_message(b'{"type":"cheer.send","presses":%d}' % wrong)
    assert [json.loads(text)["code"] for text in connection.texts] == ["malformed"] * 2
    helpers.open_now(helpers.only_turn(start_match(event.pk, box)), box)
    room.apply(latest(event.pk))
    other = PhoneConsumer(connection.scope)
    other.voter = room.add_voter(other, Seat(event.pk, "b", 2))
    other.handle_joined(CheerSend(1), room)
    assert room.heartbeat.cheers.pressed == [0, yellow]

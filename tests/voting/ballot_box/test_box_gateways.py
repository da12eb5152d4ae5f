"""What gateways keep in the box besides ballots: seats and presence; and their estimate of its clock."""

import pytest
from redis import Redis

from tests.voting.box_helpers import EVENT, R1, TURN, Y2, ask, cast, heartbeat
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import FAST_REPLY_MS, MIN_STEP_MS, OFFSET_STALE_MS, BoxClock, local_ms
from voting.ballot_box.box_types import BoxedTurn, TeamWish, Turnout, event_key, turn_keys
from voting.ballot_box.heartbeats import GATEWAY_STALE_MS, RECONNECT_GRACE_MS
from voting.counting.ballots import Ballot


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
    turnout = heartbeat(gateway="a", connected=(5, 5))
    assert (turnout.connected, turnout.waiting) == ((6, 6), 1)
    assert set(redis.hkeys(event_key(EVENT, "gateways"))) == {b"slow", b"a"}


def test_heartbeat_waits_for_voters_who_just_disconnected(turn: BoxedTurn) -> None:
    """Voters may be reconnecting: it is not enough that all who are connected have voted."""
    heartbeat(gateway="a", connected=(1, 2), waiting=0)
    for _ in range(2):
        ask(lambda box: box.leave(EVENT, "a"))
    turnout = heartbeat(gateway="b", connected=(1, 0), waiting=0)
    assert (turnout.connected, turnout.waiting) == ((1, 0), 2)
    assert heartbeat(gateway="b", connected=(1, 2), waiting=1).waiting == 1


def test_heartbeat_stops_waiting_for_voters_who_stay_away(turn: BoxedTurn, redis: Redis) -> None:
    most = event_key(EVENT, "most")
    heartbeat(gateway="a", connected=(2, 2), waiting=0)
    redis.pexpire(most, RECONNECT_GRACE_MS - 5_000)
    assert heartbeat(gateway="a", connected=(2, 1), waiting=0).waiting == 1
    assert 0 < redis.pttl(most) <= RECONNECT_GRACE_MS - 5_000
    redis.pexpire(most, 0)
    assert heartbeat(gateway="a", connected=(2, 1), waiting=0).waiting == 0
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

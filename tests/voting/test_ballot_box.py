"""The scripts, in a real Valkey."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import pytest
from django.conf import settings
from redis import Redis, RedisError

from deploy.laptop.network import LOOPBACK, free_port
from tests.deploy.processes import wait_until
from voting.ballot_box import (
    GATEWAY_STALE_MS,
    KEPT_AFTER_MS,
    MAX_BATCH,
    AsyncBallotBox,
    BallotBox,
    BoxedTurn,
    Cast,
    Early,
    Lost,
    Sealed,
    Turnout,
    event_key,
    turn_keys,
)
from voting.ballots import Ballot

T = TypeVar("T")
EVENT, TURN = 7, 70
FOR_EVER = -1
HOUR_MS = 3_600_000


def ask(question: Callable[[AsyncBallotBox], Awaitable[T]]) -> T:
    async def conversation() -> T:
        box = AsyncBallotBox()
        try:
            return await question(box)
        finally:
            await box.close()

    return asyncio.run(conversation())


def cast(turn: BoxedTurn, *ballots: Ballot, epoch: int | None = None) -> list[int]:
    return ask(lambda box: box.cast(turn.event_id, turn.turn_id, epoch or turn.epoch, ballots))


def beat(
    turn_id: int = TURN, gateway: str = "a", connected: tuple[int, int] = (0, 0), waiting: int = 0
) -> Turnout:
    return ask(lambda box: box.beat(EVENT, gateway, (turn_id, 1), connected, waiting))


def running(box: BallotBox, version: int = 1, epoch: int = 1) -> BoxedTurn:
    """A turn whose window is open, not in the box yet."""
    now = box.now()
    return BoxedTurn(EVENT, TURN, version, epoch, now - 1_000, now + HOUR_MS)


def over(turn: BoxedTurn, box: BallotBox) -> BoxedTurn:
    """The turn at its deadline, one version on, in the box."""
    later = replace(turn, version=turn.version + 1, closes_at=box.now())
    assert box.place(later, create=True)
    return later


@pytest.fixture
def turn(box: BallotBox) -> BoxedTurn:
    """An open turn, in the box."""
    turn = running(box)
    assert box.place(turn, create=True)
    return turn


def sealed(turn: BoxedTurn, box: BallotBox) -> tuple[Ballot, ...]:
    answer = box.seal(turn)
    assert isinstance(answer, Sealed)
    return answer.ballots


def voted() -> tuple[int, int]:
    turnout = beat()
    return turnout.red, turnout.yellow


R1 = Ballot("v1", "red", 3, 1)
Y2 = Ballot("v2", "yellow", 4, 1)


# ------------------------------------------------------------------ cast
def test_a_ballot_in_an_open_window_counts_once(turn: BoxedTurn, box: BallotBox) -> None:
    assert cast(turn, R1) == [Cast.OK]
    assert cast(turn, R1) == [Cast.DUP]
    assert voted() == (1, 0)
    assert sealed(over(turn, box), box) == (replace_arrival(R1, 1),)


def replace_arrival(ballot: Ballot, arrival: int) -> Ballot:
    return Ballot(ballot.voter, ballot.side, ballot.column, ballot.sequence, arrival)


def test_a_changed_vote_replaces_the_earlier_one_and_arrives_anew(turn: BoxedTurn, box: BallotBox) -> None:
    changed = Ballot("v1", "red", 5, 2)
    assert cast(turn, R1, Y2, changed) == [Cast.OK] * 3
    assert voted() == (1, 1)
    assert sealed(over(turn, box), box) == (replace_arrival(Y2, 2), replace_arrival(changed, 3))


def test_the_totals_follow_a_voter_to_the_other_side(turn: BoxedTurn) -> None:
    assert cast(turn, R1, Ballot("v1", "yellow", 3, 2)) == [Cast.OK, Cast.OK]
    assert voted() == (0, 1)


def test_an_older_ballot_is_told_the_newer_sequence(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, Ballot("v1", "red", 3, 5))
    assert cast(turn, Ballot("v1", "red", 6, 4)) == [-5]
    assert cast(turn, Ballot("v1", "red", 6, 5)) == [-5]
    assert [b.column for b in sealed(over(turn, box), box)] == [3]


def test_before_the_opening_a_ballot_is_early(box: BallotBox) -> None:
    now = box.now()
    turn = BoxedTurn(EVENT, TURN, 1, 1, now + HOUR_MS, now + 2 * HOUR_MS)
    box.place(turn, create=True)
    assert cast(turn, R1) == [Cast.EARLY]
    assert voted() == (0, 0)


def test_after_the_deadline_a_new_ballot_is_late_and_a_counted_one_still_counts(
    turn: BoxedTurn, box: BallotBox
) -> None:
    cast(turn, R1)
    later = over(turn, box)
    assert cast(later, R1, Y2, Ballot("v1", "red", 4, 2)) == [Cast.DUP, Cast.LATE, Cast.LATE]
    assert sealed(later, box) == (replace_arrival(R1, 1),)


def test_the_deadline_is_by_the_clock_of_the_box(box: BallotBox) -> None:
    """Nobody says that time is up: between one answer and the next it is."""
    now = box.now()
    turn = BoxedTurn(EVENT, TURN, 1, 1, now - 1, now + 150)
    box.place(turn, create=True)
    assert isinstance(box.seal(turn), Early)
    answers: list[int] = []

    def time_is_up() -> bool:
        answers.extend(cast(turn, Ballot("v", "red", 1, len(answers) + 1)))
        return answers[-1] == Cast.LATE

    wait_until(time_is_up)
    assert set(answers[:-1]) <= {Cast.OK}
    assert box.now() >= turn.closes_at
    assert len(sealed(turn, box)) == min(1, len(answers) - 1)


def test_a_turn_that_the_box_does_not_hold_is_unknown(box: BallotBox) -> None:
    assert cast(running(box), R1) == [Cast.UNKNOWN]
    assert voted() == (0, 0)


def test_a_box_from_before_the_loss_is_unknown_to_who_knows_of_it(turn: BoxedTurn, box: BallotBox) -> None:
    assert cast(turn, R1, epoch=2) == [Cast.UNKNOWN]
    box.place(replace(turn, version=2, epoch=2), create=False)
    assert cast(turn, R1, epoch=2) == [Cast.OK]


def test_a_gateway_that_has_not_heard_of_the_loss_yet_may_cast(turn: BoxedTurn, box: BallotBox) -> None:
    box.place(replace(turn, version=2, epoch=2), create=False)
    assert cast(turn, R1, epoch=1) == [Cast.OK]


def test_the_same_voter_twice_in_a_batch(turn: BoxedTurn, box: BallotBox) -> None:
    second = Ballot("v1", "red", 4, 2)
    assert cast(turn, second, R1, second) == [Cast.OK, -2, Cast.DUP]
    assert voted() == (1, 0)
    assert sealed(over(turn, box), box) == (replace_arrival(second, 1),)


def test_a_batch_sent_again_changes_nothing(turn: BoxedTurn, box: BallotBox) -> None:
    batch = [R1, Y2, Ballot("v3", "red", 1, 1), Ballot("v1", "red", 7, 2)]
    assert cast(turn, *batch) == [Cast.OK] * 4
    assert cast(turn, *batch) == [-2, Cast.DUP, Cast.DUP, Cast.DUP]
    assert voted() == (2, 1)
    assert [b.arrival for b in sealed(over(turn, box), box)] == [2, 3, 4]


def test_a_batch_as_large_as_may_be(turn: BoxedTurn, box: BallotBox) -> None:
    crowd = [Ballot(f"v{i}", "red" if i % 3 else "yellow", i % 7 + 1, 1) for i in range(MAX_BATCH)]
    assert cast(turn, *crowd) == [Cast.OK] * MAX_BATCH
    assert voted() == (1333, 667)
    held = sealed(over(turn, box), box)
    assert [(b.voter, b.side, b.column) for b in held] == [(b.voter, b.side, b.column) for b in crowd]


def test_more_ballots_than_a_batch_are_put_back_into_a_lost_box(turn: BoxedTurn, box: BallotBox) -> None:
    box.cast(turn, [Ballot(f"v{i}", "red", 1, 1) for i in range(MAX_BATCH + 1)])
    assert voted() == (MAX_BATCH + 1, 0)


def test_a_sealed_box_takes_nothing_even_if_its_clock_went_back(turn: BoxedTurn, box: BallotBox) -> None:
    later = over(turn, box)
    sealed(later, box)
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.hset(later.keys[0], "closes_at", box.now() + HOUR_MS)
    assert cast(later, R1) == [Cast.LATE]
    assert sealed(later, box) == ()


# ------------------------------------------------------------------ place
def test_a_box_is_only_made_when_asked_for(box: BallotBox) -> None:
    turn = running(box)
    assert not box.place(turn, create=False)
    assert isinstance(box.seal(turn), Lost)
    assert box.place(turn, create=True)
    assert box.place(turn, create=False)


def test_a_version_is_never_lowered(turn: BoxedTurn, box: BallotBox) -> None:
    newer = replace(turn, version=3, closes_at=turn.closes_at + 5_000)
    box.place(newer, create=False)
    assert box.place(replace(turn, version=2, closes_at=0), create=True)
    assert cast(newer, R1) == [Cast.OK]
    assert box.seal(turn) == Early(newer.closes_at)


def test_a_newer_version_unseals_and_the_same_one_does_not(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1)
    later = over(turn, box)
    assert len(sealed(later, box)) == 1
    box.place(replace(later, closes_at=turn.closes_at), create=True)
    assert cast(later, Y2) == [Cast.LATE]
    box.place(replace(turn, version=later.version + 1), create=False)
    assert cast(turn, Y2) == [Cast.OK]
    assert voted() == (1, 1)


def test_the_box_lasts_as_long_as_its_turn_and_an_hour_more(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1)
    with Redis.from_url(settings.REDIS_URL) as redis:
        for key in turn.keys:
            assert redis.pttl(key) == FOR_EVER
        box.expire(EVENT, TURN)
        for key in turn.keys:
            assert 0 < redis.pttl(key) <= KEPT_AFTER_MS


# ------------------------------------------------------------------ seal
def test_a_seal_before_the_deadline_is_early_and_freezes_nothing(turn: BoxedTurn, box: BallotBox) -> None:
    assert box.seal(turn) == Early(turn.closes_at)
    assert cast(turn, R1) == [Cast.OK]


def test_a_seal_gives_the_same_answer_again(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1, Y2)
    later = over(turn, box)
    first = sealed(later, box)
    assert cast(later, Ballot("v3", "red", 1, 1)) == [Cast.LATE]
    assert sealed(later, box) == first


def test_a_seal_brings_an_older_box_up_to_date(turn: BoxedTurn, box: BallotBox) -> None:
    """Whoever moved the deadline in the database and died is made good."""
    cast(turn, R1)
    moved = replace(turn, version=2, closes_at=box.now())
    assert sealed(moved, box) == (replace_arrival(R1, 1),)
    extended = replace(turn, version=3)
    assert box.seal(extended) == Early(extended.closes_at)
    assert cast(extended, Y2) == [Cast.OK]


def test_a_seal_of_an_older_version_goes_by_the_newer_deadline(turn: BoxedTurn, box: BallotBox) -> None:
    later = over(turn, box)
    box.place(replace(turn, version=later.version + 1), create=False)
    assert box.seal(later) == Early(turn.closes_at)


# ------------------------------------------------------------------ seats, ballots, beats
def test_seats_are_balanced_and_a_wish_is_granted(valkey_url: str) -> None:
    def seats(*wishes: int | None) -> list[int]:
        async def sit(box: AsyncBallotBox) -> list[int]:
            return await box.seats(EVENT, [wish or 0 for wish in wishes])

        return ask(sit)

    assert seats(None, None, None, None) == [1, 2, 1, 2]
    assert seats(2, 2, 2) == [2, 2, 2]
    assert seats(None, None, None, None, None) == [1, 1, 1, 1, 2]


def test_a_voter_finds_the_ballot_that_counts(turn: BoxedTurn) -> None:
    cast(turn, R1, Ballot("v1", "red", 5, 2))
    assert ask(lambda box: box.ballots_of(EVENT, TURN, ["v2", "v1", "v1"])) == {
        "v1": Ballot("v1", "red", 5, 2, 2)
    }
    assert ask(lambda box: box.ballots_of(EVENT, TURN + 1, ["v1"])) == {}


def test_a_beat_adds_up_all_gateways(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1, Y2)
    beat(gateway="a", connected=(3, 4), waiting=5)
    before = box.now()
    turnout = beat(gateway="b", connected=(10, 20), waiting=2)
    assert turnout == Turnout(turnout.now, (13, 24), 7, 1, 1)
    assert before <= turnout.now <= box.now()
    assert beat(gateway="b", connected=(1, 1), waiting=0).connected == (4, 5)


def test_who_is_waiting_is_unsure_while_a_gateway_speaks_of_another_turn(turn: BoxedTurn) -> None:
    for name, turn_id, waiting in [("a", TURN - 1, 0), ("b", TURN, 4), ("c", TURN, 4)]:
        turnout = beat(turn_id, gateway=name, waiting=waiting)
    assert turnout.waiting is None
    assert beat(TURN, gateway="a").waiting == 8


def test_a_gateway_that_leaves_is_not_counted_any_more(turn: BoxedTurn) -> None:
    beat(gateway="a", connected=(3, 4), waiting=5)
    ask(lambda box: box.leave(EVENT, "a"))
    ask(lambda box: box.leave(EVENT, "a"))
    assert beat(gateway="b", connected=(1, 0)).connected == (1, 0)


def test_a_gateway_that_fell_silent_is_forgotten(turn: BoxedTurn, box: BallotBox) -> None:
    silent_since = box.now() - GATEWAY_STALE_MS - 1
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.hset(event_key(EVENT, "gateways"), "dead", f"{silent_since} {TURN}.1 100 100 9")
        redis.hset(event_key(EVENT, "gateways"), "slow", f"{silent_since + 2_000} {TURN}.1 1 1 1")
        turnout = beat(gateway="a", connected=(5, 5))
        assert (turnout.connected, turnout.waiting) == ((6, 6), 1)
        assert set(redis.hkeys(event_key(EVENT, "gateways"))) == {b"slow", b"a"}


# ------------------------------------------------------------------ trouble
def test_the_keys_of_an_event_lie_together(turn: BoxedTurn) -> None:
    keys = [*turn_keys(EVENT, TURN), event_key(EVENT, "joined"), event_key(EVENT, "gateways")]
    assert len(set(keys)) == 4
    assert {key.split("{")[1].split("}")[0] for key in keys} == {str(EVENT)}


@pytest.mark.parametrize(
    "call",
    [
        lambda box, turn: box.now(),
        lambda box, turn: box.place(turn, create=True),
        lambda box, turn: box.seal(turn),
        lambda box, turn: box.cast(turn, [R1]),
        lambda box, turn: box.expire(EVENT, TURN),
    ],
)
def test_a_box_that_is_away_is_told_and_not_waited_for(
    call: Callable[[BallotBox, BoxedTurn], object],
) -> None:
    away = BallotBox(f"redis://{LOOPBACK}:{free_port()}/0")
    with pytest.raises(RedisError):
        call(away, BoxedTurn(EVENT, TURN, 1, 1, 0, 1))
    away.close()


@pytest.mark.parametrize("held", ["text", "a ballot of another shape"])
def test_ballots_for_a_spoilt_box_are_refused_and_not_tried_for_ever(held: str, turn: BoxedTurn) -> None:
    with Redis.from_url(settings.REDIS_URL) as redis:
        if held == "text":
            redis.set(turn.keys[1], "not a hash")
        else:
            redis.hset(turn.keys[1], "v1", "red 3 1 1")
            redis.hset(turn.keys[0], mapping={"arrivals": 1, "red": 1})
    assert cast(turn, R1, Y2) == [Cast.UNKNOWN, Cast.UNKNOWN]


@pytest.mark.parametrize(
    ("setting", "value", "usual"), [("min-replicas-to-write", "1", "0"), ("maxmemory", "1", "0")]
)
def test_a_server_that_takes_no_ballots_now_is_away_and_refuses_none(
    setting: str, value: str, usual: str, turn: BoxedTurn
) -> None:
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.config_set(setting, value)
        try:
            with pytest.raises(RedisError, match=r"NOREPLICAS|maxmemory"):
                cast(turn, R1)
        finally:
            redis.config_set(setting, usual)
    assert cast(turn, R1) == [Cast.OK]


def test_what_was_kept_in_an_older_format_is_lost_and_given_back(turn: BoxedTurn, box: BallotBox) -> None:
    box_key, ballots_key = (key.replace("2:", ":") for key in turn.keys)
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.rename(turn.keys[0], box_key)
        redis.hset(ballots_key, "veteran", "red 3 1 1")
        redis.hset(box_key, mapping={"arrivals": 1, "red": 1})
    assert cast(turn, R1) == [Cast.UNKNOWN]
    assert ask(lambda box: box.ballots_of(EVENT, TURN, ["veteran"])) == {}
    assert box.seal(turn) == Lost()
    assert box.place(turn, create=True)
    assert cast(turn, R1) == [Cast.OK]


def test_ballots_that_a_server_of_before_the_blinds_took_count_on(turn: BoxedTurn, box: BallotBox) -> None:
    """In an upgrade it stands beside this one, at the same box."""
    veteran = Ballot("veteran", "red", 3, 1, 1)
    with Redis.from_url(settings.REDIS_URL) as redis:
        assert turn.keys == [event_key(EVENT, f"box2:{TURN}"), event_key(EVENT, f"ballots2:{TURN}")]
        redis.hset(turn.keys[1], mapping={"veteran": '"red",3,1,1', "turncoat": '"red",3,4,2'})
        redis.hset(turn.keys[0], mapping={"arrivals": 2, "red": 2})
    assert cast(turn, Ballot("veteran", "red", 3, 1, 0, "ab" * 16), R1) == [Cast.DUP, Cast.OK]
    changed = Ballot("turncoat", "yellow", 5, 5, 0, "cd" * 16)
    assert cast(turn, Ballot("turncoat", "red", 1, 3), changed) == [-4, Cast.OK]
    assert voted() == (2, 1)
    assert ask(lambda box: box.ballots_of(EVENT, TURN, ["veteran"])) == {"veteran": veteran}
    last = Ballot("turncoat", "yellow", 5, 5, 4, "cd" * 16)
    assert sealed(over(turn, box), box) == (veteran, replace_arrival(R1, 3), last)


def test_batches_have_an_answer_a_ballot(turn: BoxedTurn) -> None:
    batches: Sequence[list[Ballot]] = [[R1], [R1, Y2]]
    assert [len(cast(turn, *batch)) for batch in batches] == [1, 2]


@pytest.mark.parametrize("held", ["text", "a ballot of another shape"])
def test_who_comes_to_a_spoilt_box_is_let_in_without_a_ballot(held: str, turn: BoxedTurn) -> None:
    with Redis.from_url(settings.REDIS_URL) as redis:
        if held == "text":
            redis.set(turn.keys[1], "not a hash")
        else:
            redis.hset(turn.keys[1], "v1", "red 3 1 1")
    assert ask(lambda box: box.ballots_of(EVENT, TURN, ["v1", "v2"])) == {}

"""The retry book: failures of one turn or match delay no other."""

from contextlib import closing

import pytest
from redis import Redis, RedisError

from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.deploy.processes import wait_until
from tests.voting.match_helpers import ballots, new_event, start
from tests.voting.turns.conftest import DueTurn
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import local_ms
from voting.models import Event, Match, Turn, TurnState
from voting.turns.retry_book import RetryBook
from voting.turns.scheduler import POLL_S, DeadlineScheduler
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


def test_failed_key_is_retried_when_its_time_has_come_and_after_the_others() -> None:
    book, tried = RetryBook(), list[int]()

    def act(key: int) -> None:
        tried.append(key)
        if key == 1:
            raise RedisError("away")

    assert [book.run_each("closing", [1, 2], act) for _ in range(2)] == [{1}, {1}]
    assert tried == [1, 2, 2]
    book.retry_at["closing 1"] = local_ms() - 1
    assert book.run_each("closing", [1, 2], act) == {1}
    assert tried == [1, 2, 2, 2, 1]


@pytest.mark.django_db(transaction=True)
def test_turn_closes_after_failure(
    box: BallotBox, due: DueTurn, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    turn = due(red=[3])
    scheduler = DeadlineScheduler(box)
    with Redis.from_url(valkey_url) as redis:
        redis.config_set("maxmemory", 1)
        try:
            book, failed = scheduler.retry_book, f"closing turn {turn.pk}"
            wait_until(lambda: scheduler.run_once() and f"{failed} failed" in caplog.text)
            seal_again_at = book.retry_at[failed]
            wait_until(lambda: scheduler.run_once() and book.retry_at[failed] > seal_again_at)
        finally:
            redis.config_set("maxmemory", 0)
    assert load_turn(turn.pk).state == TurnState.OPEN
    assert caplog.text.count(f"{failed} failed") == caplog.text.count("closing it here") == 1
    wait_until(lambda: scheduler.run_once() and load_turn(turn.pk).state == TurnState.RESOLVED)
    assert f"{failed} succeeded" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_turn_that_cannot_be_closed_delays_no_other(
    box: BallotBox, due: DueTurn, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    bad, *sound = [due(red=[3]) for _ in range(3)]
    waiting, event, scheduler = start(box), new_event(), DeadlineScheduler(box)
    failed = f"closing turn {bad.pk} failed"
    with Redis.from_url(valkey_url) as redis:
        redis.set(to_boxed_turn(bad).keys[0], "spoilt")  # every script fails with WRONGTYPE
        redis.delete(*to_boxed_turn(waiting).keys)
        Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
        wait_until(lambda: scheduler.run_once() and failed in caplog.text)
        wait_until(lambda: scheduler.run_once() and {load_turn(t.pk).state for t in sound} == {"resolved"})
        wait_until(lambda: scheduler.run_once() and load_turn(waiting.pk).epoch == 2)
        assert event.matches.count() == 1
        assert not scheduler.is_waiting
        assert caplog.text.count(failed) == 1
        assert load_turn(bad.pk).state == TurnState.OPEN
        redis.delete(*to_boxed_turn(bad).keys)
    wait_until(lambda: scheduler.run_once() and load_turn(bad.pk).epoch == 2)


@pytest.mark.parametrize("damage", ["unknown game", "garbled ballots", "unplayable next match"])
def test_damaged_event_delays_no_other(damage: str, box: BallotBox, due: DueTurn, valkey_url: str) -> None:
    broken, sound = due(red=[3]), due(red=[3])
    match = Match.objects.filter(pk=broken.match_id)
    if damage == "unknown game":
        match.update(game="draughts")
    elif damage == "garbled ballots":
        ((shard, _),) = to_boxed_turn(broken).split(ballots("red", [3]))
        with Redis.from_url(valkey_url) as redis:
            redis.hset(shard.keys[1], "red1", "red 3 1 1")
    else:  # nor can the last one be shown
        match.update(game="draughts", state="aborted", ended_at=1)
        Turn.objects.filter(pk=broken.pk).update(state=TurnState.VOID)
        Event.objects.filter(pk=broken.match.event_id).update(game="draughts", next_match_at=1)
    scheduler = DeadlineScheduler(box)
    wait_until(lambda: scheduler.run_once() and load_turn(sound.pk).state == TurnState.RESOLVED)
    assert load_turn(broken.pk).state in {TurnState.OPEN, TurnState.VOID}
    assert Event.objects.get(pk=broken.match.event_id).next_match_at is None


def test_scheduler_waits_while_box_is_unreachable(caplog: pytest.LogCaptureFixture) -> None:
    with closing(BallotBox(f"redis://{LOOPBACK}:{free_port()}/0")) as unreachable:
        assert DeadlineScheduler(unreachable).run_once() == POLL_S
    assert "scheduler waiting for Redis or the database" in caplog.text

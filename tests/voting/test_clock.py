"""The clock: hands each deadline to a worker, and does it itself when no worker does."""

import os
import signal
import subprocess
import sys
from threading import Event as Flag
from threading import Thread

import pytest
from django.conf import settings
from django.db import connection, connections
from redis import Redis

from deploy.laptop.network import LOOPBACK, free_port
from deploy.laptop.paths import ROOT
from games.models import Event, Match, Turn, TurnState
from tests.deploy.processes import minds_sigterm, wait_until
from tests.voting.playing import new_event, only_turn, open_now, run_out, set_window, start, vote
from tests.voting.test_turns import at_once, kinds
from voting.announcements import announce
from voting.ballot_box import BallotBox
from voting.clock import CALLED_BEFORE_MS, LEFT_ALONE_MS, LOOK_S, Clock
from voting.deadlines import CLOSE_TURN, CLOSE_TURN_EARLY, arm_close, arm_early_close
from voting.models import Announcement
from voting.protocol import EventEdited
from voting.tasks import close_turn as close_turn_task
from voting.tasks import close_turn_early as close_turn_early_task
from voting.turns import PATIENCE_MS, boxed, load_turn

pytestmark = pytest.mark.django_db
HELD = """CREATE TRIGGER held BEFORE INSERT ON games_match WHEN NEW.event_id = {}
BEGIN SELECT RAISE(ABORT, 'held'); END"""


def handed_over(url: str) -> list[bytes]:
    """What waits for a worker."""
    with Redis.from_url(url) as redis:
        return list(redis.lrange("crowdgame:celery:celery", 0, -1))


def test_a_due_turn_is_handed_to_a_worker_once(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    run_out(turn, box)
    clock = Clock(box)
    clock.look()
    clock.look()
    messages = handed_over(valkey_url)
    assert len(messages) == 1
    assert CLOSE_TURN.encode() in messages[0]
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_a_worker_is_called_a_moment_before_the_deadline(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    set_window(turn, box, -1_000, CALLED_BEFORE_MS)
    Clock(box).look()
    assert len(handed_over(valkey_url)) == 1
    assert CALLED_BEFORE_MS < PATIENCE_MS


def test_a_turn_before_its_deadline_is_left_alone(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    open_now(turn, box)
    Clock(box).look()
    assert not handed_over(valkey_url)
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_without_a_worker_the_clock_closes_the_turn_itself(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    run_out(turn, box)
    clock = Clock(box)
    wait_until(lambda: clock.look() and load_turn(turn.pk).state == TurnState.RESOLVED)
    assert load_turn(turn.pk).red_pick == 3


@pytest.mark.django_db(transaction=True)
def test_a_turn_that_the_store_keeps_it_from_closing_is_closed_as_soon_as_it_may(
    box: BallotBox, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    run_out(turn, box)
    clock = Clock(box)
    with Redis.from_url(valkey_url) as redis:
        redis.config_set("maxmemory", 1)
        try:
            wait_until(lambda: clock.look() and waits(turn, caplog))
            seal_again_at = clock.troubles.again[f"turn {turn.pk}"]
            wait_until(lambda: clock.look() and clock.troubles.again[f"turn {turn.pk}"] > seal_again_at)
        finally:
            redis.config_set("maxmemory", 0)
    assert load_turn(turn.pk).state == TurnState.OPEN
    assert waits(turn, caplog) == caplog.text.count("the clock does") == 1
    wait_until(lambda: clock.look() and load_turn(turn.pk).state == TurnState.RESOLVED, 2)
    assert f"turn {turn.pk} goes on" in caplog.text


def waits(turn: Turn, caplog: pytest.LogCaptureFixture) -> int:
    """How often it was said that the turn cannot be closed."""
    return sum(said.startswith(f"turn {turn.pk} waits") for said in caplog.messages)


def spoil(turn: Turn, redis: Redis) -> None:
    """No script can do anything with the turn's box: each ends with WRONGTYPE."""
    redis.set(boxed(turn).keys[0], "spoilt")


@pytest.mark.django_db(transaction=True)
def test_of_several_turns_one_that_cannot_be_closed_holds_up_no_other(
    box: BallotBox, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    turns = [start(box) for _ in range(3)]
    waiting, due = start(box), new_event()
    for turn in turns:
        open_now(turn, box)
        vote(turn, box, red=[3])
        run_out(turn, box)
    bad, *sound = turns
    clock = Clock(box)
    with Redis.from_url(valkey_url) as redis:
        spoil(bad, redis)
        redis.delete(*boxed(waiting).keys)
        Event.objects.filter(pk=due.pk).update(next_match_at=box.now())
        wait_until(lambda: clock.look() and waits(bad, caplog))
        wait_until(
            lambda: clock.look() and all(load_turn(t.pk).state == TurnState.RESOLVED for t in sound), 2
        )
        wait_until(lambda: clock.look() and load_turn(waiting.pk).epoch == 2, 5)
        assert due.matches.count() == 1
        assert not clock.waits
        assert waits(bad, caplog) == 1
        assert load_turn(bad.pk).state == TurnState.OPEN
        redis.delete(*boxed(bad).keys)
    wait_until(lambda: clock.look() and load_turn(bad.pk).epoch == 2, 5)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has other triggers")
@pytest.mark.django_db(transaction=True)
def test_a_match_that_cannot_be_started_holds_up_no_other(box: BallotBox) -> None:
    bad, sound = new_event(), new_event()
    Event.objects.update(next_match_at=box.now())
    with connection.cursor() as cursor:
        cursor.execute(HELD.format(bad.pk))
    clock = Clock(box)
    clock.look()
    assert [event.matches.count() for event in (bad, sound)] == [0, 1]
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER held")
    wait_until(lambda: clock.look() and bad.matches.count() == 1, 3)


def test_the_clock_sleeps_until_the_next_deadline_and_no_longer_than_a_look(box: BallotBox) -> None:
    clock = Clock(box)
    assert clock.look() == LOOK_S
    turn = start(box)
    set_window(turn, box, -1_000, CALLED_BEFORE_MS + 200)
    assert 0 < clock.look() <= 0.2


def test_a_deadline_that_moved_away_is_forgotten_and_due_anew(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    run_out(turn, box)
    clock = Clock(box)
    clock.look()
    open_now(turn, box)
    clock.look()
    assert not clock.armed
    run_out(turn, box)
    clock.look()
    assert len(handed_over(valkey_url)) == 2


def test_a_window_that_was_moved_while_the_clock_was_busy_is_due_anew(
    box: BallotBox, valkey_url: str
) -> None:
    """As when an organizer adds time while the clock counts, and the added time is over at its next look."""
    turn = start(box)
    run_out(turn, box)
    clock = Clock(box)
    clock.look()
    (deadline,) = clock.armed
    clock.armed[deadline] += LEFT_ALONE_MS
    run_out(load_turn(turn.pk), box)
    clock.look()
    assert len(handed_over(valkey_url)) == 2
    wait_until(lambda: clock.look() and load_turn(turn.pk).state == TurnState.RESOLVED, 5)


def test_a_paused_turn_is_never_due(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.PAUSED, left_ms=1, opens_at=0, closes_at=0)
    Clock(box).look()
    assert not handed_over(valkey_url)


def test_a_match_whose_time_has_come_starts(box: BallotBox) -> None:
    event = new_event()
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now() + 60_000)
    clock = Clock(box)
    clock.look()
    assert not event.matches.exists()
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
    clock.look()
    clock.look()
    assert event.matches.count() == 1


def test_what_is_not_sent_yet_is_sent(box: BallotBox) -> None:
    event = new_event()
    announce(event.pk, EventEdited, 1)
    Clock(box).look()
    assert not Announcement.objects.filter(sent_at=None).exists()


def test_a_box_is_restored_when_it_was_missing_at_two_looks(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    with Redis.from_url(valkey_url) as redis:
        redis.flushall()
    clock = Clock(box)
    clock.look()
    assert load_turn(turn.pk).epoch == 1
    clock.tended_at = 0.0
    clock.look()
    assert load_turn(turn.pk).epoch == 2
    assert kinds(turn.match.event_id)[-1] == "turn.restored"
    assert box.place(boxed(load_turn(turn.pk)), create=False)


def test_a_box_that_is_behind_is_brought_up_to_date(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    Turn.objects.filter(pk=turn.pk).update(version=5, closes_at=turn.closes_at + 7)
    Clock(box).look()
    with Redis.from_url(valkey_url) as redis:
        assert redis.hget(boxed(turn).keys[0], "closes_at") == str(turn.closes_at + 7).encode()


@pytest.mark.django_db(transaction=True)
def test_two_clocks_close_a_turn_once_and_start_a_match_once(box: BallotBox) -> None:
    turn, event = start(box), new_event()
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    run_out(turn, box)
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())

    def clock(own: BallotBox) -> None:
        ticking = Clock(own)
        wait_until(lambda: ticking.look() and load_turn(turn.pk).state == TurnState.RESOLVED)

    at_once(3, clock)
    assert kinds(turn.match.event_id).count("turn.revealed") == 1
    assert only_turn(turn.match).number == 2
    assert event.matches.count() == 1


def test_a_clock_without_a_box_waits(caplog: pytest.LogCaptureFixture) -> None:
    away = BallotBox(f"redis://{LOOPBACK}:{free_port()}/0")
    assert Clock(away).look() == LOOK_S
    assert "the clock waits" in caplog.text
    away.close()


@pytest.mark.django_db(transaction=True)
def test_a_clock_runs_until_it_is_stopped(box: BallotBox) -> None:
    turn, stopped = start(box), Flag()
    run_out(turn, box)

    def tick() -> None:
        Clock(box).run(stopped)
        connections.close_all()

    ticking = Thread(target=tick)
    ticking.start()
    wait_until(lambda: load_turn(turn.pk).state == TurnState.RESOLVED)
    stopped.set()
    ticking.join(5)
    assert not ticking.is_alive()


def test_a_look_that_does_not_end_ends_the_process() -> None:
    script = (
        "import django; django.setup(); import threading, time; from voting import clock;"
        "clock.STUCK_S = 0.2; clock.Clock.look = lambda self: time.sleep(60);"
        "clock.Clock(None).run(threading.Event())"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "crowdgame.settings"}
    argv = [sys.executable, "-c", script]
    done = subprocess.run(argv, env=env, cwd=ROOT, capture_output=True, timeout=30, check=False)
    assert done.returncode == 1
    assert b"in look" in done.stderr or b"<lambda>" in done.stderr


def test_the_clock_command_ends_at_sigterm(valkey_url: str) -> None:
    argv = [sys.executable, str(ROOT / "manage.py"), "clock"]
    process = subprocess.Popen(argv, env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}, cwd=ROOT)
    wait_until(lambda: minds_sigterm(process.pid))
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


# ------------------------------------------------------------------ deadlines and tasks
def test_tasks_are_called_what_deadlines_send(valkey_url: str) -> None:
    arm_close(4711)
    arm_early_close(4712, 1)
    early, close = handed_over(valkey_url)
    assert CLOSE_TURN_EARLY.encode() in early
    assert CLOSE_TURN.encode() in close
    assert (close_turn_task.name, close_turn_early_task.name) == (CLOSE_TURN, CLOSE_TURN_EARLY)


def test_a_broker_that_is_away_is_no_failure() -> None:
    """In a process of its own, since Celery keeps its connections."""
    script = "import django; django.setup(); from voting.deadlines import arm_close; arm_close(4711)"
    away = {
        "DJANGO_SETTINGS_MODULE": "crowdgame.settings",
        "REDIS_URL": f"redis://{LOOPBACK}:{free_port()}/0",
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **away},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "voting.close_turn of turn 4711 waits" in done.stderr


def test_the_tasks_do_what_their_names_say(box: BallotBox) -> None:
    due, early, other = start(box), start(box, close_early=True), start(box)
    for turn in (early, other):
        open_now(turn, box)
    run_out(due, box)
    close_turn_task(due.pk)
    close_turn_early_task(early.pk, load_turn(early.pk).closes_at)
    close_turn_early_task(other.pk, load_turn(other.pk).closes_at)
    states = [load_turn(turn.pk).state for turn in (due, early, other)]
    assert states == [TurnState.RESOLVED, TurnState.RESOLVED, TurnState.OPEN]
    assert settings.CELERY_TASK_ACKS_LATE is False


def test_a_next_match_that_cannot_be_told_holds_up_nothing(box: BallotBox) -> None:
    """Neither the event's next match nor its last one can be played any more."""
    broken, sound = start(box), start(box)
    open_now(sound, box)
    run_out(sound, box)
    Match.objects.filter(pk=broken.match_id).update(game="draughts", state="aborted", ended_at=1)
    Turn.objects.filter(pk=broken.pk).update(state=TurnState.VOID)
    Event.objects.filter(pk=broken.match.event_id).update(game="draughts", next_match_at=1)
    clock = Clock(box)
    wait_until(lambda: clock.look() and load_turn(sound.pk).state == TurnState.RESOLVED)
    assert Event.objects.get(pk=broken.match.event_id).next_match_at is None


def test_a_match_whose_game_is_gone_holds_up_no_other(box: BallotBox) -> None:
    broken, sound = start(box), start(box)
    for turn in (broken, sound):
        open_now(turn, box)
        run_out(turn, box)
    Match.objects.filter(pk=broken.match_id).update(game="draughts")
    clock = Clock(box)
    wait_until(lambda: clock.look() and load_turn(sound.pk).state == TurnState.RESOLVED)
    assert load_turn(broken.pk).state == TurnState.OPEN


def test_a_turn_whose_ballots_cannot_be_read_holds_up_no_other(box: BallotBox, valkey_url: str) -> None:
    broken, sound = start(box), start(box)
    for turn in (broken, sound):
        open_now(turn, box)
        vote(turn, box, red=[3])
        run_out(turn, box)
    with Redis.from_url(valkey_url) as redis:
        for voter in redis.hkeys(boxed(broken).keys[1]):
            redis.hset(boxed(broken).keys[1], voter, "red 3 1 1")
    clock = Clock(box)
    wait_until(lambda: clock.look() and load_turn(sound.pk).state == TurnState.RESOLVED)
    assert load_turn(broken.pk).state == TurnState.OPEN


@pytest.mark.parametrize("state", [TurnState.RESOLVED, TurnState.VOID])
def test_the_box_of_a_turn_that_nobody_let_go_of_goes_too(
    state: TurnState, box: BallotBox, valkey_url: str
) -> None:
    turn, live = start(box), start(box)
    for one in (turn, live):
        open_now(one, box)
        vote(one, box, red=[3])
    run_out(turn, box)
    Turn.objects.filter(pk=turn.pk).update(state=state, resolved_at=box.now())
    Clock(box).look()
    with Redis.from_url(valkey_url) as redis:
        assert all(redis.pttl(key) > 0 for key in boxed(turn).keys)
        assert [redis.pttl(key) for key in boxed(live).keys] == [-1, -1]

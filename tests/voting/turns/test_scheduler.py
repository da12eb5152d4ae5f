import json
import os
import signal
import subprocess
import sys

import pytest
from celery import current_app
from redis import Redis
from redis.exceptions import LockError

from crowdgame.organizer.api.webhook_delivery import SEND_DELIVERIES
from crowdgame.play.duels.plan_casting import CAST_CONDITIONAL_PICKS
from crowdgame.play.notifications.email import SEND_NOTIFICATIONS
from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import handles_sigterm, wait_until
from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import everything
from tests.voting.box_helpers import empty, queued_tasks
from tests.voting.concurrency_helpers import at_once
from tests.voting.turns.conftest import DueTurn
from voting.announcements.outbox import announce
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, Event, Turn, TurnState
from voting.protocol import EventEdited
from voting.turns import tasks as turn_tasks
from voting.turns.closing import MAX_EARLY_WAIT_MS, close_together, close_turn
from voting.turns.prefetching import ENQUEUE_EARLY_MS
from voting.turns.scheduler import IDLE_POLL_S, RECLOSE_DELAY_MS, DeadlineScheduler
from voting.turns.turns import load_turn, to_boxed_turn


def test_scheduler_calls_a_worker(box: BallotBox, valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.turns.scheduler.WORKER_TIMEOUT_MS", 60_000)  # however slow this process is
    turn, scheduler = helpers.start(box), DeadlineScheduler(box)
    opened = [(540_000, "open", 0), (0, "paused", 0), (0, "open", 1), (540_000, "open", 1)]
    for closes_in_ms, state, calls in (*opened, (ENQUEUE_EARLY_MS, "open", 2)):
        left_ms = 1 if state == "paused" else None
        helpers.set_window(turn, box, -1_000, closes_in_ms, state=state, left_ms=left_ms)
        for _ in range(2):
            scheduler.run_once()
        queued = queued_tasks(valkey_url)
        assert [turn_tasks.CLOSE_TURNS.encode() in message for message in queued] == [True] * calls
        assert load_turn(turn.pk).state == state
    assert ENQUEUE_EARLY_MS < MAX_EARLY_WAIT_MS


def test_scheduler_closes_late_turns_together(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("voting.turns.scheduler.WORKER_TIMEOUT_MS", 0)
    monkeypatch.setattr("voting.turns.scheduler.CLOSES_PER_TASK", 2)
    turns = [*(due(red=[3]) for _ in range(5)), due(window_s=601)]
    DeadlineScheduler(box).run_once()
    closed = [load_turn(turn.pk).state for turn in turns]
    assert closed == [TurnState.RESOLVED] * 6
    assert "no worker closed turn " not in caplog.text


def test_leased_turn_is_left_alone(box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.turns.scheduler.WORKER_TIMEOUT_MS", 0)
    monkeypatch.setattr("voting.ballot_box.closing_lease.LEASE_MS", 3_600_000)
    leased, free, scheduler = due(), due(), DeadlineScheduler(box)
    assert box.closing_lease.take(leased.pk)
    for _ in range(3):
        scheduler.run_once()
    assert close_together([leased.pk, free.pk], box) == []
    assert (load_turn(leased.pk).state, load_turn(free.pk).state) == (TurnState.OPEN, TurnState.RESOLVED)
    assert [box.closing_lease.is_held(turn.pk) for turn in (leased, free)] == [True, False]
    with pytest.raises(LockError):
        close_turn(leased.pk, box)
    monkeypatch.setattr("voting.ballot_box.closing_lease.LEASE_MS", 1)
    box.closing_lease.renew(leased.pk)
    wait_until(lambda: scheduler.run_once() and load_turn(leased.pk).state == TurnState.RESOLVED)


def test_scheduler_sleeps_until_deadline_or_poll(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = DeadlineScheduler(box)
    assert scheduler.run_once() == IDLE_POLL_S
    monkeypatch.setattr("voting.turns.scheduler.POLL_S", 600.0)
    turn = helpers.start(box)
    assert scheduler.run_once() == 600
    monkeypatch.setattr("voting.turns.scheduler.LOOKAHEAD_MS", 120_000)
    helpers.set_window(turn, box, -1_000, ENQUEUE_EARLY_MS + 60_000)
    assert 0 < scheduler.run_once() <= 60


def test_scheduler_rearms_window_moved_between_iterations(box: BallotBox, valkey_url: str) -> None:
    """An organizer adds time while the scheduler is busy; the added time has passed at its next iteration."""
    turn = helpers.start(box)
    helpers.run_out(turn, box)
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    (deadline,) = scheduler.dispatched
    scheduler.dispatched[deadline] += RECLOSE_DELAY_MS
    helpers.run_out(load_turn(turn.pk), box)
    scheduler.run_once()
    assert len(queued_tasks(valkey_url)) == 2
    wait_until(lambda: scheduler.run_once() and load_turn(turn.pk).state == TurnState.RESOLVED, 5)


@pytest.mark.parametrize("state", [TurnState.RESOLVED, TurnState.VOID])
def test_scheduler_repairs_crashes(state: TurnState, box: BallotBox, due: DueTurn, valkey_url: str) -> None:
    """An unsent announcement, an outdated box, and the box of a turn that has ended."""
    ended, live, moved = due(red=[3]), helpers.start_open(box), helpers.start(box)
    helpers.vote(live, box, red=[3])
    Turn.objects.filter(pk=ended.pk).update(state=state, resolved_at=box.now())
    Turn.objects.filter(pk=moved.pk).update(version=5, closes_at=moved.closes_at + 7)
    announce(live.match.event_id, EventEdited, 1)
    DeadlineScheduler(box).run_once()
    assert not Announcement.objects.filter(sent_at=None).exists()
    with Redis.from_url(valkey_url) as redis:
        assert redis.hget(to_boxed_turn(moved).keys[0], "closes_at") == str(moved.closes_at + 7).encode()
        box_keys = [part.keys[0] for part in to_boxed_turn(ended).parts]
        assert all(redis.pttl(key) > 0 for key in box_keys)
        ((voted, _),) = to_boxed_turn(live).split(helpers.ballots("red", [3]))
        assert [redis.pttl(key) for key in voted.keys[:2]] == [-1, -1]


@pytest.mark.parametrize("closes_in_ms", [540_000, 24 * 3_600_000])
def test_scheduler_restores_box_missing_in_two_iterations(closes_in_ms: int, box: BallotBox) -> None:
    turn = helpers.start(box)
    helpers.set_window(turn, box, -1_000, closes_in_ms)
    empty()
    scheduler = DeadlineScheduler(box)
    for epoch in (1, 2):
        scheduler.chores_at = 0.0
        scheduler.run_once()
        assert load_turn(turn.pk).epoch == epoch
    assert helpers.kinds(turn.match.event_id)[-1] == "turn.restored"
    assert box.place(to_boxed_turn(load_turn(turn.pk)), create=False)


@pytest.mark.django_db(transaction=True)
def test_concurrent_schedulers_close_turn_and_start_match_once(box: BallotBox, due: DueTurn) -> None:
    turn, event = due(red=[3], yellow=[4]), helpers.new_event()
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())

    def run_until_closed(own: BallotBox) -> None:
        scheduler = DeadlineScheduler(own)
        wait_until(lambda: scheduler.run_once() and load_turn(turn.pk).state == TurnState.RESOLVED)

    at_once(3, run_until_closed)
    assert helpers.kinds(turn.match.event_id).count("turn.revealed") == 1
    assert helpers.only_turn(turn.match).number == 2
    assert event.matches.count() == 1


def test_only_closes_of_turns_wait_in_the_queue_of_the_deadline(valkey_url: str) -> None:
    current_app.loader.import_default_modules()
    tasks = {name for name in current_app.tasks if not name.startswith("celery.")}
    outgoing = {SEND_DELIVERIES, "push.send_pushes"}
    assert {SEND_NOTIFICATIONS, CAST_CONDITIONAL_PICKS, *outgoing} < tasks
    turn_tasks.enqueue_close(4711)
    turn_tasks.enqueue_early_close(4712, 1)
    closing = {turn_tasks.CLOSE_TURNS, turn_tasks.CLOSE_TURN_EARLY}
    for name in tasks - closing:
        turn_tasks.send_task(name)
    waiting = {
        queue: [json.loads(message)["headers"]["task"] for message in queued_tasks(valkey_url, queue)]
        for queue in ("celery", "webhooks", "background")
    }
    assert waiting["celery"] == [turn_tasks.close_turn_early.name, turn_tasks.close_turns.name]
    assert set(waiting["webhooks"]) == outgoing
    assert set(waiting["background"]) == tasks - closing - outgoing


def test_arm_close_survives_unreachable_broker() -> None:
    """Runs in a separate process, because Celery keeps its connections."""
    script = "from voting.turns.tasks import enqueue_close; enqueue_close(4711)"
    done = run_script(script, REDIS_URL=f"redis://{LOOPBACK}:{free_port()}/0")
    assert done.returncode == 0
    assert "could not enqueue voting.close_turns(4711,)" in done.stderr


def run_script(script: str, **env: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", f"import django; django.setup(); {script}"]
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "crowdgame.settings", **env}
    return subprocess.run(argv, env=env, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_close_tasks_close_due_and_early_turns_but_warming_up_closes_none(box: BallotBox) -> None:
    turn_tasks.warm_up()  # before the first event
    due, early, other = helpers.start(box), helpers.start_open(box, close_early=True), helpers.start_open(box)
    helpers.run_out(due, box)
    before = everything()
    turn_tasks.warm_up()
    assert everything() == before
    assert not box.closing_lease.is_held(turn_tasks.NO_TURN)
    turn_tasks.close_turns(due.pk)
    for turn in (early, other):
        turn_tasks.close_turn_early(turn.pk, load_turn(turn.pk).closes_at)
    states = [load_turn(turn.pk).state for turn in (due, early, other)]
    assert states == [TurnState.RESOLVED, TurnState.RESOLVED, TurnState.OPEN]


def test_scheduler_exits_if_an_iteration_hangs() -> None:
    done = run_script(
        "import threading, time; from voting.turns import scheduler;"
        "scheduler.HANG_TIMEOUT_S = 0.2; scheduler.DeadlineScheduler.run_once = lambda self: time.sleep(60);"
        "scheduler.DeadlineScheduler(None).run(threading.Event())"
    )
    assert done.returncode == 1
    assert "in run_once" in done.stderr or "<lambda>" in done.stderr


def test_scheduler_command_exits_on_sigterm(valkey_url: str) -> None:
    argv = [sys.executable, str(ROOT / "manage.py"), "scheduler"]
    process = subprocess.Popen(argv, env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}, cwd=ROOT)
    wait_until(lambda: handles_sigterm(process.pid))
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0

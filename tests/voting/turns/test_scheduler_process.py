"""The scheduler as a process: it runs until it is stopped, and exits if an iteration hangs."""

import os
import signal
import subprocess
import sys
from threading import Event as Flag
from threading import Thread

import pytest
from django.db import connections

from deploy.laptop.paths import ROOT
from games.models import TurnState
from tests.deploy.processes import handles_sigterm, wait_until
from tests.voting.match_helpers import run_out, start
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_scheduler_runs_until_stopped(box: BallotBox) -> None:
    turn, stopped = start(box), Flag()
    run_out(turn, box)

    def run_scheduler() -> None:
        DeadlineScheduler(box).run(stopped)
        connections.close_all()

    thread = Thread(target=run_scheduler)
    thread.start()
    wait_until(lambda: load_turn(turn.pk).state == TurnState.RESOLVED)
    stopped.set()
    thread.join(60)
    assert not thread.is_alive()


def test_scheduler_exits_if_an_iteration_hangs() -> None:
    script = (
        "import django; django.setup(); import threading, time; from voting.turns import scheduler;"
        "scheduler.HANG_TIMEOUT_S = 0.2; scheduler.DeadlineScheduler.run_once = lambda self: time.sleep(60);"
        "scheduler.DeadlineScheduler(None).run(threading.Event())"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "crowdgame.settings"}
    argv = [sys.executable, "-c", script]
    done = subprocess.run(argv, env=env, cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert done.returncode == 1
    assert b"in run_once" in done.stderr or b"<lambda>" in done.stderr


def test_scheduler_command_exits_on_sigterm(valkey_url: str) -> None:
    argv = [sys.executable, str(ROOT / "manage.py"), "scheduler"]
    process = subprocess.Popen(argv, env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}, cwd=ROOT)
    wait_until(lambda: handles_sigterm(process.pid))
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0

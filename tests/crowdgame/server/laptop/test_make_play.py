import os
import re
import signal
import sqlite3
import subprocess
import urllib.request
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.stack import MANAGE, Stack
from crowdgame.server.laptop.startup import start_ballot_box, start_demo_event
from crowdgame.server.laptop.supervisor import Supervisor
from tests.deploy.playing import Play, playing
from tests.deploy.processes import wait_until
from tests.server import give_database

pytestmark = pytest.mark.nightly

ENV = {**os.environ, "REDIS_URL": "", "PUBLIC_URL": ""}
# The command line of each part, and how many processes have it.
PARTS = {
    "gateway": ("gateway --fd", 2),
    "worker": ("celery", 1),
    "scheduler": ("scheduler", 2),
    "crowd": ("rehearse", 1),
    "valkey": ("valkey-server", 1),
}


def test_play_restarts_killed_parts_and_keeps_its_files_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with playing(MANAGE, data, "--phones", "6", "--gateways", "2", env=ENV) as play:
        assert "2 gateways (daphne)" in play.said
        assert list(play.links) == ["Projector", "Phones", "Console"]
        env = {"PATH": os.environ["PATH"], "CROWDGAME_DATA": str(data)}  # without settings of a terminal
        login = subprocess.check_output([*MANAGE, "login_link", "demo"], env=env, text=True).strip()
        assert login.startswith(f"http://{LOOPBACK}:{play.port}/console/enter/")
        for link in (*play.links.values(), login):
            with urllib.request.urlopen(link) as answer:  # noqa: S310
                assert answer.status == 200
        for name in PARTS:
            kill_and_wait_for_restart(play, name)
        for path in (data, *data.rglob("*")):
            with suppress(FileNotFoundError):  # processes may delete theirs meanwhile
                assert "static" in path.parts or not path.stat().st_mode & 0o077, path
        logs = [log.read_text() for log in (data / "logs").iterdir()]
        assert play.links["Console"] not in "".join(logs)


def test_play_without_crowd_stops_demo_event(tmp_path: Path) -> None:
    stack = Stack(data=tmp_path / "data", secret_key="of the test", port=0, valkey_port=free_port())
    with Supervisor(stack.logs) as supervisor:
        start_ballot_box(stack, supervisor)
        give_database(stack)
        start_demo_event(stack)
    with playing(MANAGE, stack.data, "--no-crowd", "--gateways", "1", env=ENV) as play:
        assert list(play.links) == ["Phones", "Console"]
        assert play.links["Phones"].endswith(f":{play.port}/")
        with closing(sqlite3.connect(stack.data / "db.sqlite3")) as database:
            assert database.execute("SELECT next_match_at FROM games_event").fetchall() == [(None,)]


def kill_and_wait_for_restart(play: Play, name: str) -> None:
    count = PARTS[name][1]
    wait_until(lambda: len(running(play, name)) == count)
    pid = min(running(play, name))
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: len(running(play, name) - {pid}) == count)
    assert re.search(rf"{name}(-\d)? was killed by SIGKILL; restarting in 0\.2 s", play.said)


def running(play: Play, name: str) -> set[int]:
    """The ids of the processes that already run this part's program."""
    found = set()
    for child in play.process.children():
        with suppress(psutil.NoSuchProcess):
            command = " ".join(child.cmdline())
            if PARTS[name][0] in command and "die_with_parent" not in command:
                found.add(child.pid)
    return found

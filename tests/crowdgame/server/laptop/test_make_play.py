"""`make play` after installation: real processes, free ports and a temporary data folder."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import psutil
import pytest

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import start_ballot_box, start_demo_event
from crowdgame.server.laptop.supervisor import Supervisor
from tests.deploy.processes import becomes_true, marked, wait_until
from tests.server import give_database

PARTS = {
    "gateway": "gateway --fd",
    "worker": "celery",
    "scheduler": "scheduler",
    "crowd": "rehearse",
    "valkey": "valkey-server",
}


class PlayProcess:
    """A running `play` process; its output is in the file `said`."""

    def __init__(self, folder: Path, gateways: int, *more: str) -> None:
        self.port = free_port()
        self.said = folder / "said"
        options = ["--host", LOOPBACK, "--port", str(self.port), "--phones", "6"]
        options += ["--gateways", str(gateways), *more]
        self.database = folder / "data" / "db.sqlite3"
        with self.said.open("w") as said:
            self.process = psutil.Popen(
                [sys.executable, ROOT / "manage.py", "play", *options],
                cwd=ROOT,
                env={**os.environ, "CROWDGAME_DATA": str(folder / "data"), "REDIS_URL": "", "PUBLIC_URL": ""},
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    def url(self, label: str) -> str:
        """The URL printed after `label`; waits until it is printed."""
        becomes_true(lambda: self.has_said("Ctrl-C") or self.process.poll() is not None, within_s=300)
        assert self.has_said("Ctrl-C"), self.said.read_text()
        return next(line for line in self.said.read_text().splitlines() if label in line).split()[-1]

    def has_said(self, text: str) -> bool:
        return text in self.said.read_text()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0

    def count(self, query: str) -> int:
        """The result of a query that counts rows."""
        with closing(sqlite3.connect(self.database)) as database:
            return int(database.execute(f"SELECT count(*) FROM {query}").fetchone()[0])  # noqa: S608

    def parts(self, name: str) -> set[int]:
        """The ids of the processes that already run the program `name`."""
        return {child.pid for child in self.process.children() if PARTS[name] in _command(child)}


def _command(process: psutil.Process) -> str:
    try:
        command = " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""
    return "" if "die_with_parent" in command else command


@pytest.fixture
def plays(tmp_path: Path) -> Iterator[list[PlayProcess]]:
    begun: list[PlayProcess] = []
    yield begun
    for play in begun:
        if play.process.poll() is None:
            play.process.terminate()
            play.process.wait(10)
    assert not marked(tmp_path)


@pytest.mark.nightly
def test_play_restarts_killed_parts_and_keeps_event_between_runs(
    tmp_path: Path, plays: list[PlayProcess]
) -> None:
    plays.append(PlayProcess(tmp_path, gateways=1))
    first = plays[0]
    code = first.url("Phones").rsplit("/", 1)[-1]
    for label in ("Phones", "Projector", "Console"):
        with urllib.request.urlopen(first.url(label)) as answer:  # noqa: S310
            assert answer.status == 200
    assert_login_link_works(first, tmp_path / "data")
    for name in PARTS:
        kill_and_wait_for_restart(first, name)
    assert readable_by_others(tmp_path / "data") == []
    logs = [log.read_text() for log in (tmp_path / "data" / "logs").iterdir()]
    assert first.url("Console") not in "".join(logs)
    first.stop()
    assert not marked(tmp_path)

    plays.append(PlayProcess(tmp_path, gateways=2))
    assert plays[1].url("Projector").endswith(f"/{code}")
    assert "2 gateways (daphne)" in plays[1].said.read_text()
    if sys.platform == "linux":
        plays[1].process.kill()
        wait_until(lambda: not marked(tmp_path))


@pytest.mark.nightly
def test_play_without_crowd_has_no_event_and_opens_event_list(
    tmp_path: Path, plays: list[PlayProcess]
) -> None:
    give_database(Stack(data=tmp_path / "data", secret_key="", port=0))  # migrating takes long
    plays.append(PlayProcess(tmp_path, 1, "--no-crowd"))
    address, page = log_in(plays[0].url("Console"))
    assert urlsplit(address).path == "/console/"
    assert 'href="/console/new/empty/"' in page
    assert urlsplit(plays[0].url("Phones")).path == "/"
    assert "Projector" not in plays[0].said.read_text()
    assert plays[0].count("games_event") == 0


@pytest.mark.nightly
def test_play_without_crowd_stops_demo_event(tmp_path: Path, plays: list[PlayProcess]) -> None:
    stack = Stack(data=tmp_path / "data", secret_key="of the test", port=0, valkey_port=free_port())
    with Supervisor(stack.logs) as supervisor:
        start_ballot_box(stack, supervisor)
        give_database(stack)
        start_demo_event(stack)
    plays.append(PlayProcess(tmp_path, 1, "--no-crowd"))
    assert plays[0].url("Phones").endswith("/")
    assert plays[0].count("games_event") == 1
    assert plays[0].count("games_event WHERE next_match_at IS NOT NULL") == 0


def log_in(link: str) -> tuple[str, str]:
    """Press the button of a login link. Returns the address and the page that it leads to."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    form = opener.open(link).read().decode()
    (token,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
    with opener.open(link, urlencode({"csrfmiddlewaretoken": token}).encode()) as answer:
        return answer.url, answer.read().decode()


def assert_login_link_works(play: PlayProcess, data: Path) -> None:
    """`manage.py login_link` needs no settings in its terminal."""
    ended = subprocess.run(
        [sys.executable, ROOT / "manage.py", "login_link", "demo"],
        env={"PATH": os.environ["PATH"], "CROWDGAME_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(f"http://{LOOPBACK}:{play.port}/console/enter/")
    with urllib.request.urlopen(ended.stdout.strip()) as answer:  # noqa: S310
        assert answer.status == 200


def readable_by_others(folder: Path) -> list[Path]:
    """All files and folders but the static files, which are public. Processes may delete theirs meanwhile."""
    found = []
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):
            if "static" not in path.parts and path.stat().st_mode & 0o077:
                found.append(path)
    return found


def kill_and_wait_for_restart(play: PlayProcess, name: str) -> None:
    many = 2 if name == "scheduler" else 1
    wait_until(lambda: len(play.parts(name)) == many)
    pid = min(play.parts(name))
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: len(play.parts(name) - {pid}) == many)
    ended = rf"{name}(-\d)? was killed by SIGKILL; restarting in 0\.2 s"
    assert re.search(ended, play.said.read_text())

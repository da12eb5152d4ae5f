"""`tests.crowdgame.serving.shout` as a process, under each server."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from websockets.sync.client import ClientConnection, connect

from deploy.laptop.network import LOOPBACK, answers_http, listen
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import SERVERS


@dataclass
class Shouter:
    process: psutil.Popen
    listener: socket.socket
    note: Path

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def open(self) -> ClientConnection:
        options = {"compression": None, "max_size": None, "ping_interval": None, "close_timeout": 1}
        return connect(f"ws://{LOOPBACK}:{self.port}/", **options)  # type: ignore[arg-type]

    def resident(self) -> int:
        return int(self.process.memory_info().rss)


@contextmanager
def shouting(server: str, note: Path, drain_s: float = 0.3) -> Iterator[Shouter]:
    with listen(LOOPBACK, 0, shared=False) as listener:
        number = listener.fileno()
        argv = [
            sys.executable,
            "-m",
            "tests.crowdgame.serving.shout",
            server,
            str(number),
            str(note),
            str(drain_s),
        ]
        with psutil.Popen(argv, cwd=ROOT, pass_fds=[number], stderr=subprocess.PIPE, text=True) as process:
            shouter = Shouter(process, listener, note)
            assert answers_http(LOOPBACK, shouter.port, 20)
            yield shouter
            if process.is_running():
                process.kill()


@pytest.fixture(scope="package", params=SERVERS)
def shouter(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shouter]:
    """One of a server for all; whoever ends it or counts what it holds takes a `fresh` one."""
    with shouting(request.param, tmp_path_factory.mktemp("shouter") / "note") as shouter:
        yield shouter
        assert shouter.process.is_running()


@pytest.fixture(params=SERVERS)
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shouter]:
    with shouting(request.param, tmp_path / "note") as shouter:
        yield shouter

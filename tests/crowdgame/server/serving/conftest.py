"""Runs `tests.crowdgame.server.serving.asgi_app` as a process under each server."""

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

from crowdgame.server.laptop.network import LOOPBACK, listen, wait_for_http
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import SERVERS
from tests.server import ASGI_SERVERS_TESTED


@dataclass
class AsgiServer:
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
def run_asgi_server(server: str, note: Path, drain_s: float = 0.3, proxies: int = 0) -> Iterator[AsgiServer]:
    with listen(LOOPBACK, 0, shared=False) as listener:
        number = listener.fileno()
        arguments = map(str, (server, number, note, drain_s, proxies))
        argv = [sys.executable, "-m", "tests.crowdgame.server.serving.asgi_app", *arguments]
        with psutil.Popen(argv, cwd=ROOT, pass_fds=[number], stderr=subprocess.PIPE, text=True) as process:
            asgi_server = AsgiServer(process, listener, note)
            assert wait_for_http(LOOPBACK, asgi_server.port, 60)
            yield asgi_server
            if process.poll() is None:
                process.kill()


@pytest.fixture(scope="package", params=SERVERS)
def asgi_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AsgiServer]:
    """Shared per server. Tests that stop the process or measure its resources use `fresh_server`."""
    with run_asgi_server(request.param, tmp_path_factory.mktemp("asgi_server") / "note") as asgi_server:
        yield asgi_server
        assert asgi_server.process.poll() is None


@pytest.fixture(params=ASGI_SERVERS_TESTED)
def fresh_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AsgiServer]:
    with run_asgi_server(request.param, tmp_path / "note") as asgi_server:
        yield asgi_server

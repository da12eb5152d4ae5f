"""Slow consumers on both servers: others are not delayed, and the slow client is dropped."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from crowdgame.server.laptop.network import LOOPBACK
from tests.deploy.processes import wait_until
from voting.protocol import CloseCode

TIMEOUT_S = 20


@pytest.fixture(params=["daphne", "uvicorn"], scope="module")
def port(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    log = tmp_path_factory.mktemp(request.param) / "echo_server.log"
    with socket.create_server((LOOPBACK, 0)) as listener, log.open("w") as output:
        os.set_inheritable(listener.fileno(), True)
        argv = [sys.executable, "-m", "tests.voting.echo_server", request.param, str(listener.fileno())]
        process = subprocess.Popen(argv, pass_fds=[listener.fileno()], stderr=output)
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.wait(TIMEOUT_S)
    assert "Traceback" not in log.read_text()


def dial(port: int) -> ClientConnection:
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    plain.connect((LOOPBACK, port))
    url = f"ws://{LOOPBACK}:{port}/"
    return connect(url, sock=plain, compression=None, max_queue=1, open_timeout=TIMEOUT_S, close_timeout=1)


def receive(client: ClientConnection) -> tuple[str, int, int]:
    """The echoed text, the number of connected clients, and the number of slow consumers."""
    text, connected, slow, _ = str(client.recv(TIMEOUT_S)).split(" ")
    return text, int(connected), int(slow)


def test_slow_consumer_delays_nobody_and_is_dropped(port: int) -> None:
    with dial(port) as reader, dial(port):
        reader.send("first")
        slow_before = receive(reader)[2]
        for number in range(600):
            reader.send(str(number))
            text, _, slow = receive(reader)
            assert text == str(number)
            if slow != slow_before:
                break
        assert slow == slow_before + 1

        def is_alone() -> bool:
            reader.send("again")
            return receive(reader)[1] == 1

        wait_until(is_alone)


def test_close_follows_what_was_written_and_nothing_follows_a_close(port: int) -> None:
    with dial(port) as first, dial(port) as second:
        first.send("close all")
        for client in (first, second):
            assert client.recv(TIMEOUT_S) == "bye"
            with pytest.raises(ConnectionClosed) as closed:
                client.recv(TIMEOUT_S)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == CloseCode.RESTARTING

"""Both servers under the gateway's launcher, with a small application that shows what the launcher does."""

import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from deploy.laptop.network import LOOPBACK, listen
from deploy.laptop.stack import SERVERS
from tests.crowdgame.serving.conftest import Shouter, shouting
from tests.crowdgame.serving.shout import FRAME
from tests.crowdgame.serving.test_handshake import dial, head, read_until
from tests.deploy.processes import minds_sigterm, wait_until
from voting.protocol import MAX_FRAME_BYTES, CloseCode

PATIENCE_S = 20
FLOOD = 1_000  # a hundred megabytes
BOUND = 24_000_000
CLOSE_FRAME = b"\x88\x82\0\0\0\0\x03\xe8"
FAR_TOO_LARGE = b"\x81\xfe\x0f\xa0\0\0\0\0" + b"x" * 4_000
NAG = b"\x81\x83\0\0\0\0nag"


def closed_with(line: ClientConnection) -> int:
    with pytest.raises(ConnectionClosed) as end:
        line.recv(timeout=PATIENCE_S)
    return end.value.rcvd.code if end.value.rcvd else 0


def test_one_who_does_not_read_holds_up_nobody_and_fills_no_memory(fresh: Shouter) -> None:
    with fresh.open() as quick, fresh.open() as slow:
        quick.send("hello")
        assert quick.recv(timeout=PATIENCE_S) == "hello"
        before = fresh.resident()
        slow.send(f"flood {FLOOD}")
        for number in range(20):
            quick.send(str(number))
            assert quick.recv(timeout=PATIENCE_S) == str(number)
            time.sleep(0.05)
        assert fresh.resident() - before < BOUND
        assert all(slow.recv(timeout=PATIENCE_S) == FRAME for _ in range(FLOOD))
        slow.send("and then?")
        assert slow.recv(timeout=PATIENCE_S) == "and then?"


def test_one_who_does_not_read_can_be_closed(fresh: Shouter) -> None:
    """Whoever waits to write to it is woken, and its descriptor is free again."""
    with fresh.open() as slow:
        held = fresh.process.num_fds()
        slow.send(f"flood {FLOOD}")
        time.sleep(0.3)
        slow.socket.close()
    wait_until(lambda: fresh.process.num_fds() < held)


def test_one_who_does_not_read_and_says_goodbye_is_gone_at_once(fresh: Shouter) -> None:
    with fresh.open() as slow:
        held = fresh.process.num_fds()
        slow.send(f"flood {FLOOD}")
        time.sleep(0.3)
        slow.socket.sendall(CLOSE_FRAME)
        wait_until(lambda: fresh.process.num_fds() < held)


def test_what_is_said_to_one_whose_frame_was_too_large_is_said_to_nobody(fresh: Shouter) -> None:
    """An application that cannot know yet hears what it hears of every client that is gone."""
    with dial(fresh) as line, fresh.open() as other:
        line.sendall(head() + NAG)
        read_until(line, b"well?")
        line.sendall(FAR_TOO_LARGE)  # and no answer to the close
        read_until(line, CloseCode.FRAME_TOO_LARGE.to_bytes(2, "big"))
        wait_until(lambda: ended_in_order(other))


def ended_in_order(line: ClientConnection) -> bool:
    """Whether the application has heard by now that a client is gone."""
    line.send("nagged")
    return line.recv(timeout=PATIENCE_S) == "True"


@pytest.mark.parametrize("size", [MAX_FRAME_BYTES + 1, 70_000, 500_000])
def test_a_frame_too_large_is_refused_by_its_code(shouter: Shouter, size: int) -> None:
    with shouter.open() as line:
        line.send("x" * MAX_FRAME_BYTES)
        assert line.recv(timeout=PATIENCE_S) == "x" * MAX_FRAME_BYTES
        line.send("x" * size)
        assert closed_with(line) == CloseCode.FRAME_TOO_LARGE
    with shouter.open() as line:
        with suppress(ConnectionClosed):  # before the last of it was sent
            line.send(iter(["x" * MAX_FRAME_BYTES] * (size // MAX_FRAME_BYTES + 1)))
        assert closed_with(line) == CloseCode.FRAME_TOO_LARGE


@pytest.mark.parametrize("text", ["a", "é", "x" * 125, "x" * 126, "€" * 300, "✓" * 41])
def test_every_length_of_text_comes_and_goes(shouter: Shouter, text: str) -> None:
    with shouter.open() as line:
        for _ in range(3):
            line.send(text)
        assert [line.recv(timeout=PATIENCE_S) for _ in range(3)] == [text] * 3
        line.send([text, "!", text])
        assert line.recv(timeout=PATIENCE_S) == f"{text}!{text}"


def test_a_close_has_its_code(shouter: Shouter) -> None:
    with shouter.open() as line:
        line.send("close 4321")
        assert closed_with(line) == 4321


@pytest.mark.parametrize("server", SERVERS)
def test_it_drains_before_it_ends_and_takes_no_newcomers(server: str, tmp_path: Path) -> None:
    with shouting(server, tmp_path / "note", drain_s=3) as shouter, shouter.open() as line:
        shouter.process.send_signal(signal.SIGTERM)
        wait_until(lambda: refuses(shouter.port))
        line.send("still here")
        assert line.recv(timeout=PATIENCE_S) == "still here"
        assert shouter.process.wait(PATIENCE_S) == 0
        assert shouter.note.read_text() == "drained"


@pytest.mark.parametrize("server", SERVERS)
def test_a_second_signal_ends_it_at_once(server: str, tmp_path: Path) -> None:
    with shouting(server, tmp_path / "note", drain_s=10 * PATIENCE_S) as shouter:
        shouter.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not minds_sigterm(shouter.process.pid))
        shouter.process.send_signal(signal.SIGTERM)
        assert shouter.process.wait(PATIENCE_S) == -signal.SIGTERM
        assert not shouter.note.exists()


def refuses(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=PATIENCE_S).close()
    except (ConnectionRefusedError, ConnectionResetError):  # reset: it closes at this moment
        return True
    return False


def test_the_next_to_have_the_socket_listens_again(fresh: Shouter) -> None:
    fresh.process.terminate()
    assert fresh.process.wait(PATIENCE_S) == 0
    again = listen(LOOPBACK, 0, shared=False)
    again.close()
    fresh.listener.listen()
    with socket.create_connection((LOOPBACK, fresh.port), timeout=PATIENCE_S):
        pass

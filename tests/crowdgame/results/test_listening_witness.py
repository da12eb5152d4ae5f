import socket
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from crowdgame.maintenance.doctor.transparency import check_log
from crowdgame.management.commands.witness import MAX_CONNECTIONS, WitnessServer
from crowdgame.results.transparency_log.submission import CheckpointSender, find_due_witnesses
from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.paths import ROOT
from tests.crowdgame.results.test_transparency_log import WitnessCommand, append, restart_log
from tests.deploy.processes import wait_until
from voting.models import LogEntry, LogWitness
from voting.transparency.accepted_witnesses import WitnessRefuses, submit_checkpoint
from voting.transparency.cosignatures import Cosigner
from voting.transparency.log import load_log, log_subtrees
from voting.transparency.log_reader import Answer, LogReader, Unreachable, get, post
from voting.transparency.merkle import prove_consistency
from voting.transparency.notes import COSIGNATURE_V1
from voting.transparency.witness import open_witness

pytestmark = pytest.mark.django_db(transaction=True)
KEY = str(Cosigner("witness.example", COSIGNATURE_V1, b"w" * 32).verifier_key)


@pytest.fixture
def listening(url: str, tmp_path: Path) -> Iterator[str]:
    append("0", "1")
    port = free_port()
    argv = [sys.executable, "manage.py", "witness", url, "--folder", str(tmp_path / "listening")]
    process = subprocess.Popen([*argv, "--algorithm", "ed25519", "--listen", f"127.0.0.1:{port}"], cwd=ROOT)
    try:
        wait_until(lambda: answers(f"127.0.0.1:{port}"))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def submission(old: int, proof: list[bytes], note: str) -> bytes:
    return "\n".join([f"old {old}", *(b64encode(one).decode() for one in proof), "", note]).encode()


def test_listening_witness_follows_the_protocol(listening: str, tmp_path: Path, url: str) -> None:
    def submit(body: bytes) -> Answer:
        return post(f"{listening}/add-checkpoint", body, timeout_s=5)

    silent = urlsplit(listening)
    connections = [socket.create_connection((silent.hostname, silent.port)) for _ in range(2)]
    first = load_log()
    note = str(first.sign(first.checkpoint))
    changed = (note.replace("/log/", "/"), note.replace("\n2\n", "\n1\n"))
    assert [submit(submission(0, [], one)).status for one in changed] == [404, 403]
    assert submit(b"old 01\n\n" + note.encode()).status == 400
    assert submit(b"old 0\n\nno note").status == 400
    assert submit(submission(3, [], note)).status == 400
    assert submit(submission(0, [bytes(32)], note)).status == 422
    assert submit(submission(1, [], note)) == Answer(409, b"0\n")
    log = tmp_path / "listening"
    assert WitnessCommand(url, log).look() == (2, f"Another process uses {log}.")
    assert get(f"{listening}/{'0' * 64}/checkpoint").status == 404
    cosigner = open_witness(log, "", COSIGNATURE_V1, None, LogReader("")).cosigner
    accepted = LogWitness.objects.create(key=str(cosigner.verifier_key), url=listening)
    submit_checkpoint(accepted)
    assert LogWitness.objects.get().size == 2
    append("2", "3", "4")
    submit_checkpoint(accepted)  # its size is not loaded again: the witness says that it has 2
    assert LogWitness.objects.get().size == 5
    second = load_log()
    proof = prove_consistency(log_subtrees(5), 2, 5)
    assert submit(submission(2, proof, str(second.sign(second.checkpoint)))) == Answer(409, b"5\n")
    append("5")
    third = load_log()
    assert submit(submission(5, proof, str(third.sign(third.checkpoint)))).status == 422
    restart_log("9", "9", "9")
    with pytest.raises(WitnessRefuses, match="has less"):
        submit_checkpoint(accepted)
    append("9", "9")
    with pytest.raises(WitnessRefuses, match="422"):
        submit_checkpoint(accepted)
    assert (log / "evidence-1").read_bytes() != (log / "evidence-2").read_bytes()
    for connection in connections:
        connection.close()


@pytest.mark.parametrize(
    ("scheme", "answer"),
    [
        ("http", b""),
        ("http", b"HTTP/1.1 200 OK\r\nX: "),
        ("http", b"HTTP/1.1 200 OK\r\n\r\n"),
        ("https", b"\x16\x03\x03\x40\x00"),  # the beginning of a long TLS record
    ],
)
@pytest.mark.parametrize("pause_s", [0, 0.05])
def test_exchange_with_witness_is_bounded(
    scheme: str, answer: bytes, pause_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The witness sends the beginning of an answer, and then more bytes, at once or one by one, for long."""

    def serve() -> bool:
        connection, _ = server.accept()
        with connection, suppress(ConnectionError):
            connection.sendall(answer)
            for _ in range(100):
                if is_over.wait(pause_s):
                    return False
                connection.sendall(b"0" if pause_s else b"0" * 65536)
            return pause_s > 0
        return False

    def shut_down(connection: socket.socket, how: int) -> None:
        original(connection, how)
        is_over.wait(10)  # the reader continues before the thread that has cut it off

    is_over, original = Event(), socket.socket.shutdown
    monkeypatch.setattr(socket.socket, "shutdown", shut_down)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as pool:
        served = pool.submit(serve)
        with pytest.raises(Unreachable):
            post(f"{scheme}://127.0.0.1:{server.getsockname()[1]}/add-checkpoint", b"", timeout_s=0.5)
        is_over.set()
        assert not served.result(), "it was cut off before it had sent everything"


@pytest.mark.parametrize(("count", "timeout_s"), [(MAX_CONNECTIONS, 60), (1, 0.2)])
def test_listening_witness_bounds_connections(count: int, timeout_s: float, tmp_path: Path, url: str) -> None:
    """The connections are silent. At most so many are open, each for so long."""
    opened = open_witness(tmp_path, "witness", COSIGNATURE_V1, None, LogReader(url))
    with ThreadPoolExecutor() as pool, WitnessServer(opened, ("127.0.0.1", 0), timeout_s) as server:
        pool.submit(server.serve_forever, 0.05)
        place = "127.0.0.1", server.server_port
        try:
            connections = [socket.create_connection(place, timeout=20) for _ in range(count)]
            if count == MAX_CONNECTIONS:
                assert not answers("{}:{}".format(*place))
                connections.pop().close()
            else:
                assert connections[0].recv(1) == b"", "the server has closed it"
            wait_until(lambda: answers("{}:{}".format(*place)))
            for connection in connections:
                connection.close()
        finally:
            server.shutdown()


def answers(address: str) -> bool:
    try:
        return get(f"http://{address}/").status == 404
    except Unreachable:
        return False


def test_slow_or_unreachable_witness_does_not_delay_others(caplog: Any) -> None:
    append("0")
    sender = CheckpointSender()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        slow = LogWitness.objects.create(key=KEY, url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        other = LogWitness.objects.create(key=f"other{KEY}", url=f"http://127.0.0.1:{free_port()}")
        sender()
        attempt, first = sender.threads[slow.pk], sender.threads[other.pk]
        first.join(20)
        assert ("otherwitness.example did not cosign" in caplog.text, attempt.is_alive()) == (True, True)
        sender()
        assert sender.threads[other.pk] is first, "it waits before the next attempt"
        sender.asked_at = float("-inf")
        sender()
        assert sender.threads[other.pk] is not first
        assert sender.threads[slow.pk] is attempt, "one attempt at a time"
        sender.threads[other.pk].join(20)
    attempt.join(20)
    assert "the witness witness.example did not cosign" in caplog.text


def test_page_and_doctor_show_changed_entries_and_late_witnesses(caplog: Any, client: Client) -> None:
    append("0", "1", "2")
    assert list(check_log()) == []
    assert "No witness watches" in client.get("/log").content.decode()
    LogWitness.objects.create(key=KEY, size=2, cosigned_at=1)
    assert [(finding.problem, finding.is_wrong) for finding in check_log()] == [
        ("the witness witness.example has cosigned 2 of 3 log entries", False)
    ]
    page = client.get("/log").content.decode()
    assert "2 of 3 entries confirmed" in page
    assert str(load_log().verifier_key).replace("+", "&#x2B;") in page.replace("+", "&#x2B;")
    for number, url in enumerate(("", "http://127.0.0.1:1", "http://127.0.0.1:1")):
        LogWitness.objects.create(key=f"{number}", url=url, size=number + 1)
    assert [witness.key for witness in find_due_witnesses()] == ["1"], "with an address, and behind"
    LogEntry.objects.filter(pk=1).update(content="other")
    assert [finding.is_wrong for finding in check_log()][:1] == [True]
    LogEntry.objects.filter(pk=1).delete()
    assert [finding.is_wrong for finding in check_log()][:1] == [True]
    sender = CheckpointSender()
    sender()
    for thread in sender.threads.values():
        thread.join(20)
    assert "did not cosign: the log lacks entries" in caplog.text
    assert client.get("/log/proof/3").status_code == 404

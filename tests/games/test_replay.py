"""`manage.py replay`, run as a real command in a subprocess."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec
import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, str(ROOT / "manage.py"), "replay"]
RECORD = b'{"game":"captains-mistress","options":{"first":"red"},"turns":[{"red":4}]}'
#: No way to reach a database or Redis.
ENVIRONMENT = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "REDIS_URL": "redis://127.0.0.1:1/0"}
HANGS_S = 120


def run(given: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=given,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=HANGS_S,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done


def test_replay_command_reports_bad_line_and_continues() -> None:
    bad = [
        b"{",
        b'{"game":"chess"}',
        b'{"game":"captains-mistress","options":{"columns":9}}',
        b'{"game":"captains-mistress"}',
        b"\xff\xfe\x00\x01",
        b"[" * 3_000_000,
        b'{"game":' + b"[" * 200_000,
        b'{"game":"captains-mistress","options":{"first":"red"},"turns":[{"red":'
        + b"[" * 950
        + b"]" * 950
        + b"}]}",
    ]
    done = run(b"\n".join([RECORD, b"", *bad, b"  ", RECORD]), "--json")
    answers = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert len(answers) == len(bad) + 2
    assert answers[0] == answers[-1]
    assert answers[0]["error"] is None
    refused = answers[1:-2]
    assert [reply["error"]["line"] for reply in refused] == list(range(3, 10))
    assert all(set(reply) == {"error"} and reply["error"]["text"] for reply in refused)
    assert len(done.stdout) < 5000


@pytest.mark.nightly
def test_replay_command_reports_refused_pick_with_exit_code_0() -> None:
    done = run(RECORD.replace(b"4", b"9"), "--json")
    assert done.returncode == 0
    assert msgspec.json.decode(done.stdout)["error"]["turn"] == 1


def test_replay_command_prints_readable_text_board(tmp_path: Path) -> None:
    file = tmp_path / "records.ndjson"
    won = b",".join(b'{"red":%d,"yellow":7}' % column for column in (1, 2, 3, 4))
    file.write_bytes(
        b'\xef\xbb\xbf{"name":"a \\u001b[2Jrow \xe2\x99\x9e",'
        + b'"game":"simultaneous-captains-mistress","turns":['
        + won
        + b"]}\n{}\n"
    )
    done = run(b"", str(file))
    lines = [line.rstrip() for line in done.stdout.decode().splitlines()]
    assert done.returncode == 1
    assert lines[:8] == [
        lines[0],
        " 1   2   3   4   5   6   7",
        " .   .   .   .   .   .   .",
        " .   .   .   .   .   .   .",
        " .   .   .   .   .   .  (Y)",
        " .   .   .   .   .   .  (Y)",
        " .   .   .   .   .   .  (Y)",
        "[R] [R] [R] [R]  .   .  (Y)",
    ]
    assert "\x1b" not in lines[0]
    assert lines[8:10] == ["token: red", "after 4 turns: red wins"]
    assert "line 2 cannot be played: Object missing required field `game`" in lines


@pytest.mark.nightly
def test_replay_command_reports_missing_file_in_one_line(tmp_path: Path) -> None:
    done = run(b"", str(tmp_path / "nothing"))
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"No such file" in done.stderr


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """A running command, its input and its output; it must print no error."""
    pipe = subprocess.PIPE
    command = [*COMMAND, *arguments]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        yield process, process.stdin, process.stdout
        assert process.stderr.read() == b""


@pytest.mark.nightly
@pytest.mark.parametrize("json", [["--json"], []], ids=["json", "board"])
def test_replay_command_ends_quietly_on_closed_pipe(json: list[str]) -> None:
    with started(*json) as (process, given, output):
        output.close()
        given.write(RECORD + b"\n")
        given.close()
        assert process.wait(HANGS_S) == 1


def test_replay_command_streams_answers_and_handles_ctrl_c() -> None:
    with started("--json") as (process, given, output):
        given.write(RECORD + b"\n")
        given.flush()
        assert b'"turns_played":1' in output.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS_S) == 130

"""`manage.py replay`, run as a real command in a subprocess."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from tests.games.commands import ENVIRONMENT, HANGS_S, MANAGE, answers, run

RECORD = b'{"game":"captains-mistress","options":{"first":"red"},"turns":[{"red":4}]}'


def test_replay_command_reports_bad_line_and_continues() -> None:
    bad = [
        *(b"{", b'{"game":"chess"}', b'{"game":"captains-mistress","options":{"columns":9}}'),
        *(b'{"game":"captains-mistress"}', b"\xff\xfe\x00\x01", b"[" * 3_000_000),
        b'{"game":' + b"[" * 200_000,
        RECORD.replace(b"4", b"[" * 950 + b"]" * 950),
    ]
    done = run("replay", "--json", given=b"\n".join([RECORD, b"", *bad, b"  ", RECORD]))
    first, *refused, pick_refused, last = answers(done)
    assert done.returncode == 1
    assert first == last
    assert (first["error"], pick_refused["error"]["turn"]) == (None, 1)
    assert [reply["error"]["line"] for reply in refused] == list(range(3, 10))
    assert all(set(reply) == {"error"} and reply["error"]["text"] for reply in refused)
    assert len(done.stdout) < 5000


def test_replay_command_prints_readable_text_board(tmp_path: Path) -> None:
    file = tmp_path / "records.ndjson"
    won = b",".join(b'{"red":%d,"yellow":7}' % column for column in (1, 2, 3, 4))
    name, game = b'"a \\u001b[2Jrow \xe2\x99\x9e"', b'"simultaneous-captains-mistress"'
    file.write_bytes(b'\xef\xbb\xbf{"name":%b,"game":%b,"turns":[%b]}\n{}\n' % (name, game, won))
    done = run("replay", str(file))
    title, *lines = [line.rstrip() for line in done.stdout.decode().splitlines()]
    assert done.returncode == 1
    assert "\x1b" not in title
    assert lines[:9] == [
        " 1   2   3   4   5   6   7",
        " .   .   .   .   .   .   .",
        " .   .   .   .   .   .   .",
        *[" .   .   .   .   .   .  (Y)"] * 3,
        "[R] [R] [R] [R]  .   .  (Y)",
        "token: red",
        "after 4 turns: red wins",
    ]
    assert "line 2 cannot be played: Object missing required field `game`" in lines


@pytest.mark.nightly
def test_replay_command_reports_missing_file_in_one_line(tmp_path: Path) -> None:
    done = run("replay", str(tmp_path / "nothing"))
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"No such file" in done.stderr


@contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """A running command, its input and its output; it must print no error."""
    pipe = subprocess.PIPE
    command = [*MANAGE, "replay", *options]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        yield process, process.stdin, process.stdout
        assert process.stderr.read() == b""


@pytest.mark.nightly
@pytest.mark.parametrize("options", [["--json"], []], ids=["json", "board"])
def test_replay_command_ends_quietly_on_closed_pipe(options: list[str]) -> None:
    with started(*options) as (process, given, output):
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

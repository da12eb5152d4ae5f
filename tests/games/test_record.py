import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.errors import BadRecord, GameError
from games.engine.record import read_record, replay
from games.solver.weights import decode_weights
from tests.games.solver.sampling import CLASSIC, SIMULTANEOUS, SINGLE_SELECTOR

GAME = '"game":"simultaneous-captains-mistress"'
texts, numbers = st.text(max_size=5), st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
anything = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
RECORD = b'{"game":"captains-mistress","options":{"first":"red"},"turns":[{"red":4}]}'
MANAGE = (sys.executable, str(Path(__file__).parents[2] / "manage.py"))
ENVIRONMENT = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "REDIS_URL": "redis://127.0.0.1:1/0"}
HANGS_S = 120


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"null", b"[]", b"{}", b"{", bytes(range(256)), b'{"game":"\xff"}', b'{"game":"\\ud800"}'),
        *(b"[" * 100_000, b'{"game":' + b"[" * 100_000),
        ("{" + GAME + "} {}").encode(),
        *(
            ("{" + GAME + ',"turns":' + turns + "}").encode()
            for turns in ("null", "[[4,4]]", '[{"red":NaN}]', '[{"red":' + "9" * 5000 + "}]")
        ),
    ],
    ids=lambda line: f"{len(line)} bytes",
)
def test_read_record_refuses_malformed_line(line: bytes) -> None:
    with pytest.raises(BadRecord, match=r"[a-z] "):  # words, not only a value
        read_record(line)


@pytest.mark.parametrize(
    "pick", ["9" * 4000, '"' + "x" * 10_000 + '"', "[" * 900 + "]" * 900, "4.0", "1e300", '"4"', "true", "{}"]
)
def test_replay_refuses_invalid_pick_with_short_error(pick: str) -> None:
    replayed = replay(read_record("{" + GAME + ',"turns":[{"red":1},{"red":' + pick + ',"yellow":1}]}'))
    assert (replayed.error_turn, len(replayed.resolutions)) == (2, 1)
    assert len(replayed.error or "") < 150


def test_replay_refuses_unknown_side() -> None:
    replayed = replay(read_record("{" + GAME + ',"turns":[{"red":1},{"blue":1}]}'))
    assert (replayed.error_turn, replayed.error) == (2, "there is no side called 'blue'")


@given(st.fixed_dictionaries({}, optional={"game": anything, "options": anything, "turns": anything}))
def test_replay_of_any_json_raises_only_game_errors(raw: dict[str, Any]) -> None:
    with suppress(GameError):
        replay(read_record(msgspec.json.encode(raw)))


@given(
    st.sampled_from([("captains-mistress", {"first": "red"}), ("simultaneous-captains-mistress", {})]),
    st.lists(anything, max_size=4),
)
def test_replay_handles_any_picks(game: tuple[str, dict[str, str]], picks: list[Any]) -> None:
    turns = [{"red": pick, "yellow": other} for pick, other in zip(picks, reversed(picks), strict=True)]
    raw = {"game": game[0], "options": game[1], "turns": turns, "name": picks}
    replayed = replay(read_record(msgspec.json.encode(raw)))
    assert len(replayed.resolutions) == (replayed.error_turn or len(turns) + 1) - 1


def run(*words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a command of the games as a real process, without any way to reach a database or Redis."""
    done = subprocess.run(
        [*MANAGE, *words], input=given, capture_output=True, env=ENVIRONMENT, timeout=HANGS_S, check=False
    )
    assert b"Traceback" not in done.stderr
    return done


def answers(done: subprocess.CompletedProcess[bytes]) -> list[Any]:
    return [msgspec.json.decode(line) for line in done.stdout.splitlines()]


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
    text = "red picks [[[[[[[...]]]]]]]: there is no such column"
    assert (first["error"], pick_refused["error"]) == (None, {"turn": 1, "text": text})
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


@contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
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


def record(game: str, *turns: tuple[int | None, int | None], **options: object) -> bytes:
    picks = [{"red": red, "yellow": yellow} for red, yellow in turns]
    return msgspec.json.encode({"game": game, "options": options, "turns": picks})


WON = record(SIMULTANEOUS, *[(1, 7)] * 4)
THREAT = record(SIMULTANEOUS, (3, 7), (4, 7), (5, 6))


def test_solve_command_answers_each_record() -> None:
    half = record(SINGLE_SELECTOR, (4, None))
    classic = record(CLASSIC, (1, None), (None, 2), first="red")
    done = run("solve", "--json", given=b"\n".join([WON, THREAT, half, classic]))
    assert (done.returncode, done.stderr) == (0, b"")
    finished, forced, selector, alternating = answers(done)
    assert finished == {"value": 1.0, "red": {}, "yellow": {}, "exact": True, "depth": 0}
    assert forced["value"] == 1
    assert forced["red"] in ({"2": 1.0}, {"6": 1.0})
    assert sum(selector["red"].values()) == pytest.approx(1)
    assert sum(selector["yellow"].values()) == pytest.approx(1)
    assert (bool(alternating["red"]), alternating["yellow"]) == (True, {})


@pytest.mark.nightly
def test_solve_command_reports_line_without_answer_and_shows_board() -> None:
    lines = [record("trails"), record(SIMULTANEOUS, (9, 1)), b"{", WON]
    done = run("solve", "--json", given=b"\n".join(lines))
    assert done.returncode == 1
    *refused, last = answers(done)
    assert [reply["error"]["line"] for reply in refused] == [1, 2, 3]
    assert all(reply["error"]["text"] for reply in refused)
    assert last["value"] == 1
    done = run("solve", given=THREAT)
    assert done.returncode == 0
    assert b"value for red: +1.000" in done.stdout
    assert b"100.0%" in done.stdout


@pytest.mark.nightly
def test_training_is_repeatable(tmp_path: Path) -> None:
    weights = []
    for number, seed in enumerate(("1", "1", "2")):
        file = tmp_path / f"{number}.gz"
        assert run(*f"train --columns 6 --matches 30 --seed {seed} --output {file}".split()).returncode == 0
        weights.append(decode_weights(file.read_bytes()))
    assert weights[0] == weights[1] != weights[2]

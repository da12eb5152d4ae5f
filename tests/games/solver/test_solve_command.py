"""`manage.py solve` and `manage.py train`, run as real commands."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games.solver.weights import decode_weights

ROOT = Path(__file__).parents[3]
#: No way to reach a database or Redis.
ENVIRONMENT = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "REDIS_URL": "redis://127.0.0.1:1/0"}


def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    done = subprocess.run(
        command, input=given, capture_output=True, env=ENVIRONMENT, timeout=120, check=False, text=True
    )
    assert "Traceback" not in done.stderr
    return done


def record(game: str, *turns: tuple[int | None, int | None], **options: object) -> str:
    picks = [{"red": red, "yellow": yellow} for red, yellow in turns]
    return msgspec.json.encode({"game": game, "options": options, "turns": picks}).decode()


def answers(done: subprocess.CompletedProcess[str]) -> list[Any]:
    return [msgspec.json.decode(line) for line in done.stdout.splitlines()]


def test_solve_command_answers_each_record() -> None:
    game = "simultaneous-captains-mistress"
    won = record(game, *[(1, 7)] * 4)
    threat = record(game, (3, 7), (4, 7), (5, 6))
    half = record("single-selector", (4, None))
    classic = record("captains-mistress", (1, None), (None, 2), first="red")
    done = run("solve", "--json", given="\n".join([won, threat, half, classic]))
    assert (done.returncode, done.stderr) == (0, "")
    finished, forced, selector, alternating = answers(done)
    assert finished == {"value": 1.0, "red": {}, "yellow": {}, "exact": True, "depth": 0}
    assert forced["value"] == 1
    assert forced["red"] in ({"2": 1.0}, {"6": 1.0})
    assert sum(selector["red"].values()) == pytest.approx(1)
    assert sum(selector["yellow"].values()) == pytest.approx(1)
    assert alternating["red"]
    assert not alternating["yellow"]


@pytest.mark.nightly
def test_solve_command_reports_line_without_answer_and_continues() -> None:
    other_game = record("trails")
    illegal = record("simultaneous-captains-mistress", (9, 1))
    finished = record("simultaneous-captains-mistress", *[(1, 7)] * 4)
    done = run("solve", "--json", given="\n".join([other_game, illegal, "{", finished]))
    assert done.returncode == 1
    *refused, last = answers(done)
    assert [(reply["error"]["line"], bool(reply["error"]["text"])) for reply in refused] == [
        (1, True),
        (2, True),
        (3, True),
    ]
    assert last["value"] == 1


@pytest.mark.nightly
def test_solve_command_shows_board_and_mixes_as_text() -> None:
    done = run("solve", given=record("simultaneous-captains-mistress", (3, 7), (4, 7), (5, 6)))
    assert done.returncode == 0
    assert "value for red: +1.000" in done.stdout
    assert "100.0%" in done.stdout


@pytest.mark.nightly
def test_training_is_repeatable(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("first.gz", "second.gz", "third.gz")]
    for file, seed in zip(files, ("1", "1", "2"), strict=True):
        done = run("train", "--columns", "6", "--matches", "30", "--seed", seed, "--output", str(file))
        assert done.returncode == 0
    first, second, third = (decode_weights(file.read_bytes()) for file in files)
    assert first == second
    assert first != third

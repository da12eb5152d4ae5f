"""`manage.py solve` and `manage.py train`, run as real commands."""

from pathlib import Path

import msgspec
import pytest

from games.solver.weights import decode_weights
from tests.games.commands import answers, run
from tests.games.solver.sampling import CLASSIC, SIMULTANEOUS, SINGLE_SELECTOR


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
def test_solve_command_reports_line_without_answer_and_continues() -> None:
    done = run(
        "solve", "--json", given=b"\n".join([record("trails"), record(SIMULTANEOUS, (9, 1)), b"{", WON])
    )
    assert done.returncode == 1
    *refused, last = answers(done)
    assert [reply["error"]["line"] for reply in refused] == [1, 2, 3]
    assert all(reply["error"]["text"] for reply in refused)
    assert last["value"] == 1


@pytest.mark.nightly
def test_solve_command_shows_board_and_mixes_as_text() -> None:
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

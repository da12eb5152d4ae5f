"""Every stored puzzle is what it says: proven by the solver, and wins also by the rules alone."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command

from crowdgame.play.puzzles.management.commands.generate_puzzles import wins
from crowdgame.play.puzzles.puzzle_file import (
    FILE,
    GAME,
    OPTIONS,
    StoredPuzzle,
    daily_number,
    read_puzzles,
    unpack_puzzles,
)
from games.engine.record import GameRecord, replay
from games.solver.positions import read_position
from games.solver.puzzles import MIN_ADVANTAGE, guaranteed, read_payoffs
from games.solver.solver import solve

SAMPLE = 60  # one in so many
MAX_BYTES = 60_000


def check(puzzle: StoredPuzzle) -> None:
    turns = tuple({"red": red, "yellow": yellow} for red, yellow in puzzle.picks)
    replayed = replay(GameRecord(GAME, OPTIONS, turns))
    assert (replayed.error_turn, replayed.result) == (None, "open")
    position = read_position(replayed.state)
    assert position
    solution = solve(position)
    assert solution.is_exact
    payoffs = read_payoffs(solution, puzzle.side)
    worst = {column: min(row) for column, row in payoffs.items()}
    if puzzle.kind == "mix":
        worths = [guaranteed(payoffs, mix) for mix in puzzle.mixes]
        value = solution.value if puzzle.side == "red" else -solution.value
        assert worths.pop(puzzle.answer - 1) == pytest.approx(value, abs=1e-9)
        assert len(worths) == 3
        assert max(worths) <= value - MIN_ADVANTAGE
    else:
        bound = 1 if puzzle.kind == "win" else -1 + 1e-9
        assert [column for column in worst if worst[column] >= bound] == [puzzle.answer]
        assert puzzle.depth in {2, 3, 4}
    if puzzle.kind == "win":
        game, state, turns_left = replayed.game, replayed.state, puzzle.depth
        forced = [column for column in worst if wins(game, state, puzzle.side, column, turns_left)]
        assert forced == [puzzle.answer]


NIGHTLY = [pytest.param(at, marks=pytest.mark.nightly) for at in range(1, SAMPLE)]


@pytest.mark.parametrize("at", [0, *NIGHTLY])
def test_stored_puzzle_has_one_solution(at: int) -> None:
    for puzzle in read_puzzles()[at::SAMPLE]:
        check(puzzle)


def test_file_has_a_thousand_different_puzzles_of_each_kind() -> None:
    puzzles = read_puzzles()
    assert len({puzzle.key for puzzle in puzzles}) == len(puzzles) >= 1_000
    assert {puzzle.kind for puzzle in puzzles[:30]} == {"win", "safe", "mix"}
    assert FILE.stat().st_size <= MAX_BYTES


def test_day_has_one_puzzle_and_the_next_day_another() -> None:
    days = [date(2026, 12, 31) + timedelta(days=day) for day in range(len(read_puzzles()) + 1)]
    numbers = [daily_number(day) for day in days]
    assert sorted(numbers[:-1]) == list(range(1, len(read_puzzles()) + 1))
    assert numbers[-1] == numbers[0]


@pytest.mark.nightly
def test_command_repeats_a_file_only_with_its_seed(tmp_path: Path) -> None:
    files = []
    for name, seed in (("one", 5), ("same", 5), ("other", 6)):
        call_command("generate_puzzles", seed=seed, count=3, file=tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1] != files[2]
    for puzzle in unpack_puzzles(files[0]):
        check(puzzle)

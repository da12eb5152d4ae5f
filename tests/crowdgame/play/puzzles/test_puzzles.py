import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from crowdgame.play.puzzles import puzzle_file
from crowdgame.play.puzzles.management.commands.generate_puzzles import wins
from crowdgame.play.puzzles.models import PuzzleAnswer
from crowdgame.play.puzzles.puzzle_file import StoredPuzzle, daily_number, read_puzzles, unpack_puzzles
from crowdgame.play.puzzles.solve_rates import MAX_COUNTED, rate_difficulty
from games.engine.record import GameRecord, replay
from games.solver.positions import read_position
from games.solver.puzzles import MIN_ADVANTAGE, guaranteed, read_payoffs
from games.solver.solver import solve

pytestmark = pytest.mark.django_db
ONE, TWO = "1" * 32, "2" * 32
MIX = next(number for number, puzzle in enumerate(read_puzzles(), 1) if puzzle.mixes)
WIN = next(number for number, puzzle in enumerate(read_puzzles(), 1) if puzzle.kind == "win")


def check(puzzle: StoredPuzzle) -> None:
    turns = tuple({"red": red, "yellow": yellow} for red, yellow in puzzle.picks)
    replayed = replay(GameRecord(puzzle_file.GAME, puzzle_file.OPTIONS, turns))
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


@pytest.mark.parametrize("at", [0, *(pytest.param(at, marks=pytest.mark.nightly) for at in range(1, 60))])
def test_stored_puzzle_has_one_solution(at: int) -> None:
    for puzzle in read_puzzles()[at::60]:
        check(puzzle)


def test_file_has_a_thousand_different_puzzles_of_each_kind_one_a_day() -> None:
    puzzles = read_puzzles()
    assert len({puzzle.key for puzzle in puzzles}) == len(puzzles) >= 1_000
    assert {puzzle.kind for puzzle in puzzles[:30]} == {"win", "safe", "mix"}
    assert puzzle_file.FILE.stat().st_size <= 60_000
    numbers = [daily_number(date(2026, 12, 31) + timedelta(days=day)) for day in range(len(puzzles) + 1)]
    assert sorted(numbers[:-1]) == list(range(1, len(puzzles) + 1))
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


def post(client: Client, number: int, body: Any) -> int:
    text = body if isinstance(body, str) else json.dumps(body)
    return client.post(f"/puzzles/{number}/answer", text, "application/json").status_code


def counted(number: int) -> list[bool]:
    key = read_puzzles()[number - 1].key
    return list(PuzzleAnswer.objects.filter(puzzle=key).order_by("pk").values_list("solved", flat=True))


def test_person_counts_once_a_puzzle_with_the_first_answer(client: Client) -> None:
    right = read_puzzles()[WIN - 1].answer
    wrong = right % 7 + 1
    for mark, choice in ((ONE, wrong), (ONE, right), (TWO, right), (ONE, wrong)):
        assert post(client, WIN, {"mark": mark, "choice": choice}) == 204
    assert counted(WIN) == [False, True]
    assert post(client, MIX, {"mark": "3" * 32, "choice": read_puzzles()[MIX - 1].answer}) == 204
    assert counted(MIX) == [True]


def test_other_answer_is_refused_and_not_counted(client: Client) -> None:
    for number, body, status in (
        (WIN, {"mark": ONE, "choice": 0}, 400),
        (WIN, {"mark": ONE, "choice": 8}, 400),
        (MIX, {"mark": ONE, "choice": 5}, 400),
        (WIN, {"mark": ONE, "choice": "4"}, 400),
        (WIN, {"mark": "Ada", "choice": 4}, 400),
        (WIN, {"mark": ONE}, 400),
        (WIN, {"mark": ONE, "choice": 4, "solved": True}, 400),
        (WIN, "no JSON", 400),
        (0, {"mark": ONE, "choice": 4}, 404),
        (len(read_puzzles()) + 1, {"mark": ONE, "choice": 4}, 404),
    ):
        assert post(client, number, body) == status, body
    assert client.get(f"/puzzles/{WIN}/answer").status_code == 405
    assert not PuzzleAnswer.objects.exists()


def test_rate_is_that_of_the_newest_answers(client: Client) -> None:
    puzzle = read_puzzles()[WIN - 1]

    def add(count: int, *, solved: bool) -> None:
        rows = (PuzzleAnswer(puzzle=puzzle.key, mark=f"{solved}{at}", solved=solved) for at in range(count))
        PuzzleAnswer.objects.bulk_create(rows)

    add(60, solved=False)
    assert client.get(f"/puzzles/{WIN}.json").json()["difficulty"] == "hard"
    add(MAX_COUNTED - 60, solved=True)
    assert rate_difficulty(puzzle) == "easy"
    assert post(client, WIN, {"mark": ONE, "choice": puzzle.answer}) == 204
    assert counted(WIN) == [False] * 59 + [True] * (MAX_COUNTED - 59), "the oldest answer is gone"


def test_everybody_gets_the_same_puzzle_today(client: Client) -> None:
    first, second = (client.get("/puzzles/today.json").json() for _ in range(2))
    assert first == second
    assert (first["number"], first["count"]) == (first["daily"], len(read_puzzles()))
    assert client.get("/puzzles").status_code == client.get(f"/puzzles/{first['count']}").status_code == 200
    for missing in (0, first["count"] + 1):
        assert client.get(f"/puzzles/{missing}.json").status_code == 404

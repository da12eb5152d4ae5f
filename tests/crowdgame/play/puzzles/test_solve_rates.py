"""Answers to puzzles: counted once a person and puzzle, and what is refused."""

import json
from typing import Any

import pytest
from django.test import Client

from crowdgame.play.puzzles.models import PuzzleAnswer
from crowdgame.play.puzzles.puzzle_file import read_puzzles
from crowdgame.play.puzzles.solve_rates import MAX_COUNTED, rate_difficulty

pytestmark = pytest.mark.django_db
ONE, TWO = "1" * 32, "2" * 32
MIX = next(number for number, puzzle in enumerate(read_puzzles(), 1) if puzzle.mixes)
WIN = next(number for number, puzzle in enumerate(read_puzzles(), 1) if puzzle.kind == "win")


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


@pytest.mark.parametrize(
    ("number", "body", "status"),
    [
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
    ],
)
def test_other_answer_is_refused_and_not_counted(client: Client, number: int, body: Any, status: int) -> None:
    assert post(client, number, body) == status
    assert not PuzzleAnswer.objects.exists()
    assert client.get(f"/puzzles/{WIN}/answer").status_code == 405


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

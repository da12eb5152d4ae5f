"""Count who solved a puzzle at once, and how difficult that makes it."""

from typing import Literal

from django.db.models import Count, Q

from crowdgame.play.puzzles.models import PuzzleAnswer
from crowdgame.play.puzzles.puzzle_file import StoredPuzzle

Difficulty = Literal["easy", "medium", "hard"]
MAX_COUNTED = 1_000  # people a puzzle, the newest: enough for a rate, and bounds the table
PRIOR_WEIGHT = 20  # people: how much the solver's estimate counts
EASY, MEDIUM = 0.6, 0.35


def count_answer(puzzle: StoredPuzzle, mark: str, choice: int) -> None:
    """Count a person's first answer. Idempotent."""
    answer = PuzzleAnswer(puzzle=puzzle.key, mark=mark, solved=choice == puzzle.answer)
    PuzzleAnswer.objects.bulk_create([answer], ignore_conflicts=True)
    answers = PuzzleAnswer.objects.filter(puzzle=puzzle.key)
    oldest = answers.order_by("-pk").values_list("pk", flat=True)[MAX_COUNTED - 1 : MAX_COUNTED].first()
    if oldest:
        answers.filter(pk__lt=oldest).delete()


def rate_difficulty(puzzle: StoredPuzzle) -> Difficulty:
    """Return how hard a puzzle is: the share of people who solved it, begun with the solver's estimate."""
    counts = PuzzleAnswer.objects.filter(puzzle=puzzle.key).aggregate(
        all=Count("pk"), solved=Count("pk", filter=Q(solved=True))
    )
    rate = (counts["solved"] + PRIOR_WEIGHT * estimate_rate(puzzle)) / (counts["all"] + PRIOR_WEIGHT)
    return "easy" if rate >= EASY else "medium" if rate >= MEDIUM else "hard"


def estimate_rate(puzzle: StoredPuzzle) -> float:
    """Return the expected share of people who solve a puzzle: fewer if it is deep or others are tempting."""
    depth = puzzle.depth or 3
    return max(0.1, 0.9 - 0.2 * (depth - 1) - 0.1 * puzzle.tempting)

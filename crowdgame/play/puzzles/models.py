from django.db import models


class PuzzleAnswer(models.Model):
    """Someone's first answer to a puzzle. Nothing connects a person's answers to different puzzles.

    `puzzle` is the key of a `StoredPuzzle`, so that the counts outlive a new file of puzzles. `mark` is a
    hash of the puzzle and a number that the person's browser drew and keeps to itself.
    """

    puzzle = models.CharField(max_length=50, db_index=True)
    mark = models.CharField(max_length=32, unique=True)
    solved = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.puzzle}: {'solved' if self.solved else 'not solved'}"

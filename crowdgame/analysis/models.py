"""Stored analyses of turns."""

from django.db import models

from voting.models import Turn


class TurnAnalysis(models.Model):
    """The analysis of a resolved turn: a packed `AnalyzedTurn`.

    It belongs to no person. A turn that is taken back keeps its row, which nothing shows any more.
    """

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="analysis")
    packed = models.BinaryField()

    class Meta:
        verbose_name_plural = "turn analyses"

    def __str__(self) -> str:
        return f"{self.turn}, analyzed"

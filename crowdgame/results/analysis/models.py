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


class MatchJudges(models.Model):
    """The voters with the best judgment of a match, the best first. `turn` ended the match.

    Retention deletes it. Like an analysis, it is of no use if the turn is taken back.
    """

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="match_judges")
    voters = models.JSONField()

    class Meta:
        verbose_name_plural = "match judges"

    def __str__(self) -> str:
        return f"Judges until {self.turn}"

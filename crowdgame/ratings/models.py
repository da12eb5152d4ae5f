"""Ratings of guests, and the matches that count for them."""

from django.db import models
from django.db.models import UniqueConstraint

from crowdgame.accounts.models import Guest
from games.models import Match


class Rating(models.Model):
    """How strong a guest is at a game, after so many rated matches: about `mu`, give or take `sigma`."""

    guest = models.ForeignKey(Guest, on_delete=models.CASCADE, related_name="ratings")
    game = models.CharField(max_length=80)
    mu = models.FloatField()
    sigma = models.FloatField()
    games = models.PositiveIntegerField()
    last_at = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["game", "-mu", "guest"], name="rating_table")]
        constraints = [UniqueConstraint(fields=["guest", "game"], name="rating_once")]

    def __str__(self) -> str:
        return f"{self.guest}: {self.mu:.0f} at {self.game}"


class RatedMatch(models.Model):
    """That a duel's match counts for the ratings, and what it made of them: a match counts once."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="rated")
    red_before = models.FloatField()
    red_after = models.FloatField()
    yellow_before = models.FloatField()
    yellow_after = models.FloatField()

    def __str__(self) -> str:
        return f"{self.match}, rated"

"""Ratings of guests, and the matches they are based on."""

from django.db import models
from django.db.models import UniqueConstraint

from crowdgame.accounts.models import Guest
from voting.models import Match


class Rating(models.Model):
    """A guest's rating in a game: the estimate `mu` with standard deviation `sigma`.

    `games` is the number of rated matches. `last_at` is when the last of them ended, in ms since 1970.
    """

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
    """A rated duel match, with both ratings before and after it. A match is rated at most once."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="rated")
    red_before = models.FloatField()
    red_after = models.FloatField()
    yellow_before = models.FloatField()
    yellow_after = models.FloatField()

    def __str__(self) -> str:
        return f"{self.match}, rated"

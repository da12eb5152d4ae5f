"""The open hall: guests, and the games that they play one against one."""

from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint

from games.models.event import Event
from games.models.match import Match


class Guest(models.Model):
    """Somebody without an account, who keeps a name by a cookie: Guest 12657."""

    number = models.PositiveIntegerField(unique=True)
    came_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Guest {self.number}"


class Duel(models.Model):
    """An event of the hall: a team of one guest each, by the number of the team. None: the seat is free.

    One that is not `listed` is joined by its link alone. `again` is the team that wants another match.
    """

    event = models.OneToOneField(Event, on_delete=models.CASCADE, related_name="duel")
    one = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    two = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    listed = models.BooleanField(default=True)
    again = models.PositiveSmallIntegerField(null=True, blank=True, editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["-id"], condition=Q(one=None) | Q(two=None), name="duel_with_a_seat_free"),
        ]
        constraints = [
            CheckConstraint(condition=Q(one=None) | Q(two=None) | ~Q(one=F("two")), name="duel_of_two"),
            CheckConstraint(condition=Q(one__isnull=False) | Q(two__isnull=False), name="duel_of_somebody"),
            CheckConstraint(condition=Q(again=None) | Q(again__in=[1, 2]), name="duel_again_1_or_2"),
        ]

    def __str__(self) -> str:
        return f"duel {self.event.code}"


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

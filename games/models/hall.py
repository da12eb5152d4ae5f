"""The open hall: guests, and the games that they play one against one."""

from django.db import models
from django.db.models import CheckConstraint, F, Q

from games.models.event import Event


class Guest(models.Model):
    """Somebody without an account, who keeps a name by a cookie: Guest 12657."""

    number = models.PositiveIntegerField(unique=True)
    came_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"Guest {self.number}"


class Duel(models.Model):
    """An event of the hall: a team of one guest each, by the number of the team. None: the seat is free.

    One that is not `listed` is joined by its link alone.
    """

    event = models.OneToOneField(Event, on_delete=models.CASCADE, related_name="duel")
    one = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    two = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    listed = models.BooleanField(default=True)

    class Meta:
        indexes = [
            models.Index(fields=["-id"], condition=Q(one=None) | Q(two=None), name="duel_with_a_seat_free"),
        ]
        constraints = [
            CheckConstraint(condition=Q(one=None) | Q(two=None) | ~Q(one=F("two")), name="duel_of_two"),
            CheckConstraint(condition=Q(one__isnull=False) | Q(two__isnull=False), name="duel_of_somebody"),
        ]

    def __str__(self) -> str:
        return f"duel {self.event.code}"

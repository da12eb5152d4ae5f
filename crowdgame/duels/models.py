"""Duels: games of one guest against another, or against a crowd."""

from django.db import models
from django.db.models import CheckConstraint, F, Q

from crowdgame.accounts.models import Guest
from voting.models import Event


class Duel(models.Model):
    """A game of guests, on an event of its own.

    `one` and `two` are the guests of teams 1 and 2; None is a free seat. An unlisted duel is joined by its
    link alone. With `crowd`, the second team is open to anyone who joins. `network` is a keyed hash of the
    creator's network for `creation_limits`, deleted after an hour.
    """

    event = models.OneToOneField(Event, on_delete=models.CASCADE, related_name="duel")
    one = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    two = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    listed = models.BooleanField(default=True)
    crowd = models.BooleanField(default=False, db_default=False)
    network = models.CharField(max_length=16, blank=True, default="", db_default="", editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["-id"], condition=Q(one=None) | Q(two=None), name="duel_with_a_seat_free"),
        ]
        constraints = [
            CheckConstraint(condition=Q(one=None) | Q(two=None) | ~Q(one=F("two")), name="duel_of_two"),
            CheckConstraint(condition=Q(one__isnull=False) | Q(two__isnull=False), name="duel_has_a_player"),
            CheckConstraint(
                condition=Q(crowd=False) | Q(one=None) | Q(two=None), name="duel_of_one_and_a_crowd"
            ),
        ]

    def __str__(self) -> str:
        return f"duel {self.event.code}"

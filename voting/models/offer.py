"""Offers between the players of a one-on-one game."""

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from games.engine.game import SIDES
from voting.models.match import Turn
from voting.terms import OfferKind


class Offer(models.Model):
    """An offer of one side to the other. It lapses when its turn closes, unless it is accepted before.

    The offer of the other side accepts it.
    """

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="offers")
    side = models.CharField(max_length=6)
    kind = models.CharField(max_length=8, choices=OfferKind.choices())
    declined = models.BooleanField(default=False)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["turn", "side", "kind"], name="offer_once_a_turn"),
            CheckConstraint(condition=Q(side__in=SIDES, kind__in=list(OfferKind)), name="offer_known"),
        ]

    def __str__(self) -> str:
        return f"{self.turn}: {self.kind} offered by {self.side}"

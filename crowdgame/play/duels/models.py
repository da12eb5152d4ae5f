"""Duels: games of one guest against another, a crowd, or the computer."""

from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint

from crowdgame.accounts.models import Guest
from games.engine.game import SIDES
from voting.models import Event, Turn


class Duel(models.Model):
    """A game of guests, on an event of its own.

    `one` and `two` are the guests of teams 1 and 2; None is a free seat. An unlisted duel is joined by its
    link alone. With `crowd`, the second team is open to anyone who joins. `bot` is the strength of a computer
    opponent, which takes the place of a guest. A `casual` duel isn't rated, and its players can agree to take
    turns back. `rematch_wanted_by` is the number of the team that has asked for a rematch. `network` is a
    keyed hash of the creator's network for `creation_limits`, deleted after an hour.
    """

    event = models.OneToOneField(Event, on_delete=models.CASCADE, related_name="duel")
    one = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    two = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    listed = models.BooleanField(default=True)
    crowd = models.BooleanField(default=False, db_default=False)
    casual = models.BooleanField(default=False, db_default=False)
    rematch_wanted_by = models.PositiveSmallIntegerField(null=True, blank=True, editable=False)
    bot = models.PositiveSmallIntegerField(null=True, blank=True)
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
            CheckConstraint(
                condition=Q(rematch_wanted_by=None) | Q(rematch_wanted_by__in=[1, 2]),
                name="duel_rematch_wanted_by_1_or_2",
            ),
        ]

    def __str__(self) -> str:
        return f"duel {self.event.code}"

    @property
    def is_for_one(self) -> bool:
        """Whether one guest plays, against a crowd or the computer."""
        return self.crowd or self.bot is not None


class ConditionalPicks(models.Model):
    """What a player of a duel will choose after the opponent's next choice. Deleted once that is known.

    `turn` was live when the row was written; `is_due` is set once it is over. `sealed` is encrypted (see
    `sealed_picks`): only the player's own page and data export show it. Somebody with the database or a
    backup of it learns that a player has planned, not what: the key is made from SECRET_KEY, which neither
    contains, and the length is always the same.
    """

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="+")
    side = models.CharField(max_length=6)
    sealed = models.CharField(max_length=500, editable=False)
    is_due = models.BooleanField(default=False, db_default=False)

    class Meta:
        verbose_name_plural = "conditional picks"
        indexes = [models.Index(fields=["id"], condition=Q(is_due=True), name="conditional_picks_due")]
        constraints = [
            UniqueConstraint(fields=["turn", "side"], name="conditional_picks_once_a_side"),
            CheckConstraint(condition=Q(side__in=SIDES), name="conditional_picks_side_known"),
        ]

    def __str__(self) -> str:
        return f"{self.turn}: plan of {self.side}"

"""The open hall: guests, and the games that they play one against one."""

from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint
from django.utils import timezone

from games.models.event import Event
from games.models.match import Match, Turn

GUEST_NAME_LENGTH, GUEST_KEY_LENGTH = 20, 80


class Guest(models.Model):
    """Somebody who plays in the hall, by a cookie: Guest 12657, until they make it an account.

    An account has a `name` that nobody else's looks like (`name_key`), and a password, kept as Django keeps
    one. It is no user of the console's. `seen_on` is to the day.
    """

    number = models.PositiveIntegerField(unique=True)
    came_at = models.DateTimeField(auto_now_add=True)
    seen_on = models.DateField(null=True, default=timezone.localdate, db_index=True)
    name = models.CharField(max_length=GUEST_NAME_LENGTH, blank=True, default="", db_default="")
    name_key = models.CharField(max_length=GUEST_KEY_LENGTH, null=True, blank=True, unique=True)
    password = models.CharField(max_length=128, blank=True, default="", db_default="")

    class Meta:
        constraints = [
            CheckConstraint(
                condition=Q(name="", name_key=None, password="")
                | (~Q(name="") & ~Q(password="") & Q(name_key__isnull=False)),
                name="guest_account_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"Guest {self.number}"

    @property
    def has_account(self) -> bool:
        return bool(self.password)


class Address(models.Model):
    """Where a guest wants to be told that it is their turn; until it is confirmed only asked whether so.

    Whoever stops it is forgotten here: there is no list of addresses that do not want to hear.
    """

    guest = models.OneToOneField(Guest, on_delete=models.CASCADE, related_name="address")
    email = models.EmailField()
    asked_at = models.DateTimeField(auto_now_add=True, db_index=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"the address of {self.guest}"


class Letter(models.Model):
    """A mail that is due, of a turn, or without one the question whether the address is theirs.

    Once it is sent it is gone.
    """

    address = models.ForeignKey(Address, on_delete=models.CASCADE, related_name="letters")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    due_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [UniqueConstraint(fields=["address", "turn"], name="letter_a_turn")]

    def __str__(self) -> str:
        return f"letter {self.pk} to {self.address}"


class Duel(models.Model):
    """An event of the hall: a team of one guest each, by the number of the team. None: the seat is free.

    One that is not `listed` is joined by its link alone. `again` is the team that wants another match. In
    place of a second guest a `crowd` plays: whoever comes by.
    """

    event = models.OneToOneField(Event, on_delete=models.CASCADE, related_name="duel")
    one = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    two = models.ForeignKey(Guest, on_delete=models.RESTRICT, null=True, blank=True, related_name="+")
    listed = models.BooleanField(default=True)
    again = models.PositiveSmallIntegerField(null=True, blank=True, editable=False)
    crowd = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = [
            models.Index(fields=["-id"], condition=Q(one=None) | Q(two=None), name="duel_with_a_seat_free"),
        ]
        constraints = [
            CheckConstraint(condition=Q(one=None) | Q(two=None) | ~Q(one=F("two")), name="duel_of_two"),
            CheckConstraint(condition=Q(one__isnull=False) | Q(two__isnull=False), name="duel_of_somebody"),
            CheckConstraint(condition=Q(again=None) | Q(again__in=[1, 2]), name="duel_again_1_or_2"),
            CheckConstraint(
                condition=Q(crowd=False) | Q(one=None) | Q(two=None), name="duel_of_one_and_a_crowd"
            ),
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

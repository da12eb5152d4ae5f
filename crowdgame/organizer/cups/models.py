"""Cups: tournaments of several teams. Each pairing of two teams is an event."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinLengthValidator, MinValueValidator
from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint
from django.utils.translation import get_language

from crowdgame.organizer.cups.pairing import CupFormat
from voting.models import MAX_BEST_OF, MAX_CODE_LENGTH, Event, MatchTerms
from voting.models.settings import choices
from voting.terms import PHONES, Nicknames

MAX_CUP_TEAMS = 32


class Cup(MatchTerms):
    """A tournament. Each pairing that is played is an event on the cup's terms.

    Its page and the events of its pairings are in `language`.

    A team wins a pairing with more than half of `best_of` matches. In a league, a pairing also ends after
    `best_of` matches.

    `display_key_version` counts how often an organizer has replaced the display link of one of its events.
    `shown_pairing` is the number of the pairing that the organizer wants on the big screen.
    """

    code = models.CharField(max_length=MAX_CODE_LENGTH, unique=True, validators=[MinLengthValidator(4)])
    name = models.CharField(max_length=80)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="cups")
    language = models.CharField(max_length=10, default=get_language, db_default=settings.LANGUAGE_CODE)
    format = models.CharField(max_length=8, choices=CupFormat.choices(), default=CupFormat.KNOCKOUT)
    best_of = models.PositiveSmallIntegerField(
        "matches of a pairing", default=1, validators=[MinValueValidator(1), MaxValueValidator(MAX_BEST_OF)]
    )
    next_match_after_s = models.PositiveIntegerField(
        "seconds to a pairing's next match",
        null=True,
        blank=True,
        validators=[MinValueValidator(3), MaxValueValidator(24 * 3600)],
    )
    nicknames = models.CharField(
        max_length=9,
        choices=choices(Nicknames),
        default=Nicknames.SUGGESTED,
        db_default=Nicknames.OFF.value,
    )
    display_key_version = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    shown_pairing = models.PositiveSmallIntegerField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta(MatchTerms.Meta):
        constraints = [
            *MatchTerms.Meta.constraints,
            CheckConstraint(condition=Q(format__in=list(CupFormat)), name="cup_format_known"),
            CheckConstraint(
                condition=Q(best_of__gte=1, best_of__lte=MAX_BEST_OF), name="cup_best_of_in_range"
            ),
            CheckConstraint(condition=Q(nicknames__in=list(Nicknames)), name="cup_nicknames_known"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"


class CupTeam(models.Model):
    """A team of a cup. The draw refers to it by its seed, from 1.

    `source` is that of its team in each pairing's event: `phones`, or the computer that fills a free place.
    """

    cup = models.ForeignKey(Cup, on_delete=models.CASCADE, related_name="teams")
    seed = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)
    source = models.CharField(max_length=80, default=PHONES, db_default=PHONES)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["cup", "seed"], name="cupteam_seed_once"),
            CheckConstraint(condition=Q(seed__gte=1, seed__lte=MAX_CUP_TEAMS), name="cupteam_seed_in_range"),
        ]

    def __str__(self) -> str:
        return self.name


class CupPairing(models.Model):
    """A pairing that was started or won by walkover. `number` is its number in the draw; the teams are seeds.

    `walkover` is the place (1 or 2) of the team that advances without finishing the pairing. If the event has
    been deleted, the pairing can be started again.
    """

    cup = models.ForeignKey(Cup, on_delete=models.CASCADE, related_name="pairings")
    number = models.PositiveSmallIntegerField()
    red = models.PositiveSmallIntegerField()
    yellow = models.PositiveSmallIntegerField()
    event = models.OneToOneField(
        Event, on_delete=models.SET_NULL, null=True, blank=True, related_name="cup_pairing"
    )
    walkover = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["cup", "number"], name="cuppairing_number_once"),
            CheckConstraint(condition=~Q(red=F("yellow")), name="cuppairing_two_teams"),
            CheckConstraint(
                condition=Q(walkover=None) | Q(walkover__in=[1, 2]), name="cuppairing_walkover_1_or_2"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cup.code} pairing {self.number}"

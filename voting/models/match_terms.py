"""Match terms: settings of an event for its next match, copied to each match."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import CheckConstraint, Q

from voting.terms import NoBallotRule, Pace, ResignShare, TieRule

MIN_WINDOW_S, MAX_WINDOW_S = 3, 30 * 24 * 3600
MAX_TALK_S = 24 * 3600
MAX_BANK_S = 30 * 24 * 3600
MAX_INCREMENT_S = 24 * 3600
MAX_SIDE_CHANGES = 9
MAX_CONSENT = 400


class MatchTerms(models.Model):
    """The terms of a match: on an event, the choice for the next match; on a match, its own copy.

    With `bank_s` each side has a time bank in place of the window: that many seconds for the whole match, and
    `increment_s` more after each turn. It may use at most `cap_s` in one turn. The clock runs until the side
    has a ballot; with `crowd_clocks`, until every connected voter of the side has voted.

    `tally_method` is the name of a voting method (`voting.counting.methods`), which is checked where events
    are edited and matches are started or imported.

    `resign` is the share of a team's ballots that resigns the match; None: nobody can resign. With
    `max_side_changes`, sides are secret, and each voter may change sides that often between turns.
    `turn_points`: at the end, a voter scores a point for each turn voted with the winner.

    `consent` is the text that voters read before their first vote if their votes go into a study; "" if they
    do not.
    """

    game = models.CharField(max_length=80, default="simultaneous-captains-mistress")
    options = models.JSONField(default=dict, blank=True)
    window_s = models.PositiveIntegerField(
        "seconds to vote",
        default=20,
        validators=[MinValueValidator(MIN_WINDOW_S), MaxValueValidator(MAX_WINDOW_S)],
    )
    pace = models.CharField(
        "pace of reveals",
        max_length=16,
        choices=Pace.choices(),
        default=Pace.NORMAL,
        db_default=Pace.NORMAL.value,
    )
    talk_s = models.PositiveIntegerField(
        "seconds to talk before each vote",
        default=0,
        db_default=0,
        validators=[MaxValueValidator(MAX_TALK_S)],
    )
    tally_method = models.CharField(max_length=16, default="plurality")
    tie_rule = models.CharField(max_length=16, choices=TieRule.choices(), default=TieRule.FIRST)
    no_ballot_rule = models.CharField(
        max_length=16, choices=NoBallotRule.choices(), default=NoBallotRule.RANDOM
    )
    resign = models.CharField(  # noqa: DJ001
        "a team may resign", max_length=16, choices=ResignShare.choices(), null=True, blank=True
    )
    close_early = models.BooleanField("close when everyone connected has voted", default=False)
    bank_s = models.PositiveIntegerField("seconds on each side's clock", null=True, blank=True)
    increment_s = models.PositiveIntegerField("seconds more after each turn", default=0, db_default=0)
    cap_s = models.PositiveIntegerField("seconds of the clock in one turn, at most", null=True, blank=True)
    crowd_clocks = models.BooleanField(
        "a side's clock runs until all its voters have voted", default=False, db_default=False
    )
    max_side_changes = models.PositiveSmallIntegerField(
        "times each voter may secretly change sides",
        default=0,
        db_default=0,
        validators=[MaxValueValidator(MAX_SIDE_CHANGES)],
    )
    turn_points = models.BooleanField(
        "a point for each turn voted with the winner", default=False, db_default=False
    )

    consent = models.TextField(
        "what voters read of a study", blank=True, default="", db_default="", max_length=MAX_CONSENT
    )

    class Meta:
        abstract = True
        constraints = [
            CheckConstraint(
                condition=Q(window_s__gte=MIN_WINDOW_S, window_s__lte=MAX_WINDOW_S),
                name="%(class)s_window_in_range",
            ),
            CheckConstraint(condition=Q(pace__in=list(Pace)), name="%(class)s_pace_known"),
            CheckConstraint(condition=Q(talk_s__lte=MAX_TALK_S), name="%(class)s_talk_in_range"),
            CheckConstraint(condition=Q(tie_rule__in=list(TieRule)), name="%(class)s_tie_rule_known"),
            CheckConstraint(
                condition=Q(no_ballot_rule__in=list(NoBallotRule)), name="%(class)s_no_ballot_rule_known"
            ),
            CheckConstraint(
                condition=Q(resign=None) | Q(resign__in=list(ResignShare)),
                name="%(class)s_resign_share_known",
            ),
            CheckConstraint(
                condition=Q(bank_s=None) | Q(bank_s__gte=MIN_WINDOW_S, bank_s__lte=MAX_BANK_S),
                name="%(class)s_bank_in_range",
            ),
            CheckConstraint(
                condition=Q(increment_s__lte=MAX_INCREMENT_S), name="%(class)s_increment_in_range"
            ),
            CheckConstraint(
                condition=Q(cap_s=None) | Q(bank_s__isnull=False, cap_s__gte=MIN_WINDOW_S),
                name="%(class)s_cap_of_a_bank",
            ),
            CheckConstraint(
                condition=Q(max_side_changes__lte=MAX_SIDE_CHANGES),
                name="%(class)s_max_side_changes_in_range",
            ),
        ]

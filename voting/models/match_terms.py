"""Match terms: settings of an event for its next match, copied to each match."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import CheckConstraint, Q
from django.utils.translation import gettext_lazy as _

from voting.models.settings import choices, setting
from voting.terms import MAX_SHARDS, NoBallotRule, Pace, ResignShare, SpecialRule, TieRule

MIN_WINDOW_S, MAX_WINDOW_S = 3, 30 * 24 * 3600
LONG_WINDOW_S = 3600
MAX_TALK_S = 24 * 3600
MAX_BANK_S = 30 * 24 * 3600
MAX_INCREMENT_S = 24 * 3600
MAX_SIDE_CHANGES = 9
MIN_HOST_WAIT_S, MAX_HOST_WAIT_S = 3, 180
MAX_HOST_WINDOW_S = 600
MAX_CONSENT = 400


class MatchTerms(models.Model):
    """The terms of a match: on an event, the choice for the next match; on a match, its own copy.

    With `bank_s` each side has a time bank in place of the window: that many seconds for the whole match, and
    `increment_s` more after each turn. It may use at most `cap_s` in one turn. The clock runs until the side
    has a ballot; with `crowd_clocks`, until every connected voter of the side has voted.

    With `host_wait_s` an organizer starts each reveal and opens each next turn. Each step happens by itself
    after that many seconds.

    `tally_method` is the name of a voting method (`voting.counting.methods`), which is checked where events
    are edited and matches are started or imported.

    `resign` is the share of a team's ballots that resigns the match; None: nobody can resign. With
    `draw_offers`, a majority of a team's ballots offers a draw or accepts one. With
    `max_side_changes`, sides are secret, and each voter may change sides that often between turns.
    `turn_points`: at the end, a voter scores a point for each turn voted with the winner.

    `store_ballots`: ballots are in the database before they are acknowledged, not only in long windows.
    `shards`: parts of the ballot box, on different nodes of a cluster.

    `consent` is the text that voters agree to on their phones before their first vote; "" if they are not
    asked. With `in_study`, the votes go into a study, and the text says so.
    """

    game = models.CharField(max_length=80, default="simultaneous-captains-mistress")
    options = models.JSONField(default=dict, blank=True)
    window_s = setting(
        models.PositiveIntegerField(
            _("Time to vote"),
            default=20,
            validators=[MinValueValidator(MIN_WINDOW_S), MaxValueValidator(MAX_WINDOW_S)],
            help_text=_("12 to 30 seconds suit a live audience. Hours or days suit remote teams."),
        ),
        "vote",
    )
    close_early = setting(
        models.BooleanField(_("Close as soon as everyone connected has voted"), default=False), "vote"
    )
    bank_s = setting(
        models.PositiveIntegerField(
            _("Time on each side's clock"),
            null=True,
            blank=True,
            validators=[MinValueValidator(MIN_WINDOW_S), MaxValueValidator(MAX_BANK_S)],
            help_text=_(
                "It runs in every turn until all connected voters of the side have voted. If it runs "
                "out before anyone on the side has voted, the rule for turns without votes applies."
            ),
        ),
        "vote",
    )
    increment_s = setting(
        models.PositiveIntegerField(
            _("Added after each turn"),
            default=0,
            db_default=0,
            validators=[MaxValueValidator(MAX_INCREMENT_S)],
        ),
        "vote",
    )
    cap_s = setting(
        models.PositiveIntegerField(
            _("Maximum time per turn"),
            null=True,
            blank=True,
            validators=[MinValueValidator(MIN_WINDOW_S), MaxValueValidator(MAX_BANK_S)],
            help_text=_("Without a limit, one idle phone can use up the whole clock in one turn."),
        ),
        "vote",
    )
    talk_s = setting(
        models.PositiveIntegerField(
            _("Time to talk before each vote"),
            default=0,
            db_default=0,
            validators=[MaxValueValidator(MAX_TALK_S)],
            help_text=_("Voting is still closed, and the screens say “Talk it over”."),
        ),
        "vote",
    )
    pace = setting(
        models.CharField(
            _("Pace of the reveals"),
            max_length=16,
            choices=choices(Pace),
            default=Pace.NORMAL,
            db_default=Pace.NORMAL.value,
            help_text=_("Conflicts, close votes and wins always get more time than other turns."),
        ),
        "vote",
    )
    host_wait_s = setting(
        models.PositiveSmallIntegerField(
            _("Reveals and next turns wait for the organizer"),
            null=True,
            blank=True,
            validators=[MinValueValidator(MIN_HOST_WAIT_S), MaxValueValidator(MAX_HOST_WAIT_S)],
            help_text=_(
                "The space bar in the console, or a clicker at the big screen, starts each reveal and opens "
                "each turn. If nobody presses it for this long, the match goes on by itself."
            ),
        ),
        "vote",
    )
    tally_method = setting(models.CharField(_("Voting method"), max_length=16, default="plurality"), "fine")
    tie_rule = setting(
        models.CharField(
            _("If columns tie"),
            max_length=16,
            choices=choices(TieRule),
            default=TieRule.FIRST,
            help_text=_("You appoint captains in the console, under People. Their votes are public."),
        ),
        "fine",
    )
    no_ballot_rule = setting(
        models.CharField(
            _("If nobody on a team votes"),
            max_length=16,
            choices=choices(NoBallotRule),
            default=NoBallotRule.RANDOM,
        ),
        "fine",
    )
    resign = setting(
        models.CharField(
            _("Votes needed for a team to resign"),
            max_length=16,
            choices=choices(ResignShare),
            null=True,
            blank=True,
        ),
        "fine",
    )
    draw_offers = setting(
        models.BooleanField(
            _("Teams may offer a draw"),
            default=False,
            db_default=False,
            help_text=_(
                "More than half of a team's votes offer it, and the other team answers in its next turn. "
                "Only if both teams vote by phone and sides are not secret."
            ),
        ),
        "fine",
    )
    store_ballots = setting(
        models.BooleanField(
            _("Also store each vote in the database before confirming it"),
            default=False,
            db_default=False,
            help_text=_(
                "It then counts even if the store for open votes fails and the phone has left. "
                "Windows of over ten minutes always do this."
            ),
        ),
        "fine",
    )
    shards = setting(
        models.PositiveSmallIntegerField(
            _("Parts of the ballot box"),
            default=1,
            db_default=1,
            validators=[MinValueValidator(1), MaxValueValidator(MAX_SHARDS)],
            help_text=_(
                "More than one only for over 100,000 phones, on a cluster of as many Valkey nodes. All must "
                "then work. Matches with clocks, secret sides or a secret first vote use one."
            ),
        ),
        "fine",
    )
    crowd_clocks = models.BooleanField(
        "a side's clock runs until all its voters have voted", default=False, db_default=False
    )
    max_side_changes = setting(
        models.PositiveSmallIntegerField(
            _("Times each voter may secretly change sides"),
            default=0,
            db_default=0,
            validators=[MaxValueValidator(MAX_SIDE_CHANGES)],
        ),
        "sides",
    )
    turn_points = setting(
        models.BooleanField(
            _("At the end, score a point for each turn spent voting with the winner"),
            default=False,
            db_default=False,
        ),
        "sides",
    )
    consent = setting(
        models.TextField(
            _("Text that voters agree to before their first vote"),
            blank=True,
            default="",
            db_default="",
            max_length=MAX_CONSENT,
            help_text=_("Say what happens with the votes, and name a contact. Leave empty to ask nobody."),
        ),
        "consent",
    )
    in_study = setting(
        models.BooleanField(
            _("The votes go into a study, without names"),
            default=False,
            db_default=False,
            help_text=_("Hints about winning columns are then off until the match is over."),
        ),
        "consent",
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
                condition=Q(host_wait_s=None)
                | Q(bank_s=None, host_wait_s__gte=MIN_HOST_WAIT_S, host_wait_s__lte=MAX_HOST_WAIT_S),
                name="%(class)s_host_wait_in_range",
            ),
            CheckConstraint(
                condition=Q(max_side_changes__lte=MAX_SIDE_CHANGES),
                name="%(class)s_max_side_changes_in_range",
            ),
            CheckConstraint(
                condition=Q(shards__gte=1, shards__lte=MAX_SHARDS), name="%(class)s_shards_in_range"
            ),
            CheckConstraint(
                condition=Q(in_study=False) | ~Q(consent=""), name="%(class)s_study_with_consent"
            ),
        ]

    @property
    def has_long_windows(self) -> bool:
        """Whether a vote lasts so long that voters are notified of it by e-mail."""
        return self.bank_s is None and self.window_s >= LONG_WINDOW_S

    @property
    def special_rules(self) -> tuple[SpecialRule, ...]:
        """The rules to announce before the first turn."""
        applies = {
            SpecialRule.SECRET_SIDES: self.max_side_changes > 0,
            SpecialRule.SINGLE_SELECTOR: self.game == "single-selector",
            SpecialRule.CAPTAINS: self.tie_rule == TieRule.CAPTAIN,
            SpecialRule.RESIGNING: self.resign is not None,
            SpecialRule.TIME_BANKS: self.bank_s is not None,
        }
        return tuple(rule for rule, is_applied in applies.items() if is_applied)

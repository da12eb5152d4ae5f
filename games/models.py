"""Event, team, match, turn: constraints make wrong states impossible.

Times (`_at`) are whole milliseconds since 1970 by the ballot box's clock. The board is not stored:
it is the replay of the picks of the resolved turns.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinLengthValidator, MinValueValidator
from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint

MIN_WINDOW_S, MAX_WINDOW_S = 3, 30 * 24 * 3600
MAX_REVEAL_S = 600
MAX_TALK_S = 24 * 3600
MAX_BEST_OF = 21
NOTICE_LENGTH = 140
MAX_CUP_TEAMS = 32


class TallyMethod(models.TextChoices):
    PLURALITY = "plurality", "Most votes"
    LOTTERY = "lottery", "Lottery: one ballot drawn"


class TieRule(models.TextChoices):
    FIRST = "first", "The column that had its votes first"
    LOT = "lot", "By lot"


class NoBallotRule(models.TextChoices):
    RANDOM = "random", "A random legal column"
    PASS = "pass", "Nothing drops"
    FORFEIT = "forfeit", "The team loses the match"


class MatchTerms(models.Model):
    """How a match is played: an event's choice for the next match, a match's for itself."""

    game = models.CharField(max_length=80, default="simultaneous-captains-mistress")
    options = models.JSONField(default=dict, blank=True)
    window_s = models.PositiveIntegerField(
        "seconds to vote",
        default=20,
        validators=[MinValueValidator(MIN_WINDOW_S), MaxValueValidator(MAX_WINDOW_S)],
    )
    reveal_s = models.PositiveIntegerField(
        "seconds of reveal", default=6, validators=[MinValueValidator(1), MaxValueValidator(MAX_REVEAL_S)]
    )
    talk_s = models.PositiveIntegerField(
        "seconds to talk before each vote",
        default=0,
        db_default=0,
        validators=[MaxValueValidator(MAX_TALK_S)],
    )
    tally_method = models.CharField(max_length=16, choices=TallyMethod.choices, default=TallyMethod.PLURALITY)
    tie_rule = models.CharField(max_length=16, choices=TieRule.choices, default=TieRule.FIRST)
    no_ballot_rule = models.CharField(
        max_length=16, choices=NoBallotRule.choices, default=NoBallotRule.RANDOM
    )
    close_early = models.BooleanField("close when everyone connected has voted", default=False)

    class Meta:
        abstract = True
        constraints = [
            CheckConstraint(
                condition=Q(window_s__gte=MIN_WINDOW_S, window_s__lte=MAX_WINDOW_S),
                name="%(class)s_window_in_range",
            ),
            CheckConstraint(
                condition=Q(reveal_s__gte=1, reveal_s__lte=MAX_REVEAL_S), name="%(class)s_reveal_in_range"
            ),
            CheckConstraint(condition=Q(talk_s__lte=MAX_TALK_S), name="%(class)s_talk_in_range"),
            CheckConstraint(
                condition=Q(tally_method__in=TallyMethod.values), name="%(class)s_tally_method_known"
            ),
            CheckConstraint(condition=Q(tie_rule__in=TieRule.values), name="%(class)s_tie_rule_known"),
            CheckConstraint(
                condition=Q(no_ballot_rule__in=NoBallotRule.values), name="%(class)s_no_ballot_rule_known"
            ),
        ]


class Lobby(models.TextChoices):
    CLOSED = "closed", "Not open yet"
    OPEN = "open", "Open"
    LOCKED = "locked", "No one new"


class TeamChoice(models.TextChoices):
    BALANCE = "balance", "Even teams, automatically"
    CHOOSE = "choose", "Everyone chooses"
    LINK = "link", "A link for each team"


class Admission(models.TextChoices):
    OPEN = "open", "Every device"
    ROTATING = "rotating", "The projector's code, a new one every 30 seconds"
    TICKETS = "tickets", "Tickets: a code for one use each"
    ROSTER = "roster", "A class list: a code for each pupil"


class Event(MatchTerms):
    """An evening: a join code, two teams, a series of matches. `seq` counts what was announced.

    `peek`: organizers see the votes by column before the reveal, and everybody is told so; `own_counts`: each
    team sees its own so far. `notice` stands on every screen and phone; what is hidden stays off the
    projector. Of `best_of` matches, whoever wins more than half wins the series. Whoever needs
    more time gets `extra_s` in every turn. After `forgotten_at` nothing
    says any more which ballots were of the same voter.
    """

    code = models.CharField(max_length=8, unique=True, validators=[MinLengthValidator(4)])
    name = models.CharField(max_length=80)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="events")
    lobby = models.CharField(max_length=8, choices=Lobby.choices, default=Lobby.CLOSED)
    team_choice = models.CharField(max_length=8, choices=TeamChoice.choices, default=TeamChoice.BALANCE)
    admission = models.CharField(
        max_length=8, choices=Admission.choices, default=Admission.OPEN, db_default=Admission.OPEN
    )
    peek = models.BooleanField(
        "the control room sees the votes before the reveal", default=False, db_default=False
    )
    own_counts = models.BooleanField("each team sees its own votes so far", default=False, db_default=False)
    notice = models.CharField(max_length=NOTICE_LENGTH, blank=True, default="", db_default="", editable=False)
    hide_code = models.BooleanField("no join code on the projector", default=False, db_default=False)
    hide_turnout = models.BooleanField("no turnout on the projector", default=False, db_default=False)
    hide_tally = models.BooleanField("only the picks are revealed", default=False, db_default=False)
    best_of = models.PositiveSmallIntegerField(
        "matches of the series",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_BEST_OF)],
        help_text="Empty: as many as you like.",
    )
    extra_s = models.PositiveIntegerField(
        "seconds more in every turn", default=0, db_default=0, editable=False
    )
    forgotten_at = models.DateTimeField(null=True, blank=True, editable=False)
    next_match_after_s = models.PositiveIntegerField(
        "seconds to the next match",
        null=True,
        blank=True,
        validators=[MinValueValidator(3), MaxValueValidator(24 * 3600)],
        help_text="Empty: the organizer starts each match.",
    )
    next_match_at = models.BigIntegerField(null=True, blank=True, editable=False, db_index=True)
    seq = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(MatchTerms.Meta):
        constraints = [
            *MatchTerms.Meta.constraints,
            CheckConstraint(condition=Q(lobby__in=Lobby.values), name="event_lobby_known"),
            CheckConstraint(condition=Q(team_choice__in=TeamChoice.values), name="event_team_choice_known"),
            CheckConstraint(condition=Q(admission__in=Admission.values), name="event_admission_known"),
            CheckConstraint(condition=Q(seq__gte=0), name="event_seq_not_negative"),
            CheckConstraint(
                condition=Q(best_of=None) | Q(best_of__gte=1, best_of__lte=MAX_BEST_OF),
                name="event_best_of_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"


class Role(models.TextChoices):
    COHOST = "cohost", "Co-host: runs the event"
    VIEWER = "viewer", "Viewer: looks on"


class Member(models.Model):
    """Somebody beside the owner who may enter an event's control room."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=8, choices=Role.choices)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["event", "user"], name="member_once"),
            CheckConstraint(condition=Q(role__in=Role.values), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.event}"


class Team(models.Model):
    """One of an event's two; `hands`: it votes by a show of hands, and an organizer types the counts in."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="teams")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)
    hands = models.BooleanField("votes by a show of hands", default=False, db_default=False)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["event", "number"], name="team_number_once"),
            CheckConstraint(condition=Q(number__in=[1, 2]), name="team_number_1_or_2"),
        ]

    def __str__(self) -> str:
        return self.name


class MatchState(models.TextChoices):
    PLAYING = "playing"
    ENDED = "ended"
    ABORTED = "aborted"


class MatchResult(models.TextChoices):
    RED = "red"
    YELLOW = "yellow"
    DRAW = "draw"


class EndedBy(models.TextChoices):
    BOARD = "board"
    FORFEIT = "forfeit"


class Match(MatchTerms):
    """One play of one game; its options hold no lot that is still to be drawn."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="matches")
    number = models.PositiveIntegerField()
    red = models.ForeignKey(Team, on_delete=models.RESTRICT, related_name="+")
    yellow = models.ForeignKey(Team, on_delete=models.RESTRICT, related_name="+")
    state = models.CharField(max_length=8, choices=MatchState.choices, default=MatchState.PLAYING)
    result = models.CharField(max_length=8, choices=MatchResult.choices, null=True, blank=True)  # noqa: DJ001
    ended_by = models.CharField(max_length=8, choices=EndedBy.choices, null=True, blank=True)  # noqa: DJ001
    started_at = models.BigIntegerField()
    ended_at = models.BigIntegerField(null=True, blank=True)

    class Meta(MatchTerms.Meta):
        verbose_name_plural = "matches"
        constraints = [
            *MatchTerms.Meta.constraints,
            UniqueConstraint(fields=["event", "number"], name="match_number_once"),
            UniqueConstraint(
                fields=["event"], condition=Q(state=MatchState.PLAYING), name="match_one_playing_an_event"
            ),
            CheckConstraint(condition=~Q(red=F("yellow")), name="match_two_teams"),
            CheckConstraint(
                condition=Q(
                    state=MatchState.ENDED,
                    result__isnull=False,
                    result__in=MatchResult.values,
                    ended_by__isnull=False,
                    ended_by__in=EndedBy.values,
                )
                | (~Q(state=MatchState.ENDED) & Q(result=None, ended_by=None)),
                name="match_result_when_ended",
            ),
            CheckConstraint(
                condition=Q(state=MatchState.PLAYING, ended_at=None)
                | (Q(state__in=[MatchState.ENDED, MatchState.ABORTED]) & Q(ended_at__isnull=False)),
                name="match_ended_at_when_over",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event.code} match {self.number}"


class TurnState(models.TextChoices):
    OPEN = "open"
    PAUSED = "paused"
    RESOLVED = "resolved"
    VOID = "void"


LIVE_STATES = [TurnState.OPEN, TurnState.PAUSED]


class Turn(models.Model):
    """One decision. `version` grows with every change of state or time: whoever writes compares it.

    `epoch` grows when the ballot box lost the turn. `left_ms` is what remains of a paused window,
    `talk_left_ms` of the time to talk before it.
    `seed` decides every lot of the turn. No ballot was taken after `sealed_at`.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=TurnState.choices, default=TurnState.OPEN)
    version = models.PositiveIntegerField(default=1)
    epoch = models.PositiveIntegerField(default=1)
    opens_at = models.BigIntegerField()
    closes_at = models.BigIntegerField()
    left_ms = models.BigIntegerField(null=True, blank=True)
    talk_left_ms = models.BigIntegerField(default=0, db_default=0)
    seed = models.CharField(max_length=32)
    red_pick = models.PositiveSmallIntegerField(null=True, blank=True)
    yellow_pick = models.PositiveSmallIntegerField(null=True, blank=True)
    sealed_at = models.BigIntegerField(null=True, blank=True)
    resolved_at = models.BigIntegerField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["state", "closes_at"], name="turn_due")]
        constraints = [
            UniqueConstraint(
                fields=["match", "number"], condition=~Q(state=TurnState.VOID), name="turn_number_once"
            ),
            UniqueConstraint(
                fields=["match"], condition=Q(state__in=LIVE_STATES), name="turn_one_live_a_match"
            ),
            CheckConstraint(condition=Q(state__in=TurnState.values), name="turn_state_known"),
            CheckConstraint(condition=Q(closes_at__gte=F("opens_at")), name="turn_closes_after_opening"),
            CheckConstraint(
                condition=Q(state=TurnState.PAUSED, left_ms__isnull=False, left_ms__gte=0)
                | (~Q(state=TurnState.PAUSED) & Q(left_ms=None)),
                name="turn_time_left_when_paused",
            ),
            CheckConstraint(
                condition=Q(state__in=[TurnState.RESOLVED, TurnState.VOID])
                | Q(red_pick=None, yellow_pick=None, sealed_at=None, resolved_at=None),
                name="turn_no_pick_while_live",
            ),
            CheckConstraint(
                condition=~Q(state=TurnState.RESOLVED) | Q(resolved_at__isnull=False),
                name="turn_resolved_at_when_resolved",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match} turn {self.number}"


class CupFormat(models.TextChoices):
    KNOCK_OUT = "knockout", "Knock-out: who loses is out"
    LEAGUE = "league", "League: everyone plays everyone"


class Cup(MatchTerms):
    """Several teams who meet in pairings of two; each pairing that is played is an event, on these terms.

    A pairing is over when a team has won more than half of `best_of` matches; in a league also after so many.
    """

    code = models.CharField(max_length=8, unique=True, validators=[MinLengthValidator(4)])
    name = models.CharField(max_length=80)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="cups")
    format = models.CharField(max_length=8, choices=CupFormat.choices, default=CupFormat.KNOCK_OUT)
    best_of = models.PositiveSmallIntegerField(
        "matches of a pairing", default=1, validators=[MinValueValidator(1), MaxValueValidator(MAX_BEST_OF)]
    )
    next_match_after_s = models.PositiveIntegerField(
        "seconds to a pairing's next match",
        null=True,
        blank=True,
        validators=[MinValueValidator(3), MaxValueValidator(24 * 3600)],
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(MatchTerms.Meta):
        constraints = [
            *MatchTerms.Meta.constraints,
            CheckConstraint(condition=Q(format__in=CupFormat.values), name="cup_format_known"),
            CheckConstraint(
                condition=Q(best_of__gte=1, best_of__lte=MAX_BEST_OF), name="cup_best_of_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"


class CupTeam(models.Model):
    """One of a cup's; the draw knows it by its seed, from 1."""

    cup = models.ForeignKey(Cup, on_delete=models.CASCADE, related_name="teams")
    seed = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["cup", "seed"], name="cupteam_seed_once"),
            CheckConstraint(condition=Q(seed__gte=1, seed__lte=MAX_CUP_TEAMS), name="cupteam_seed_in_range"),
        ]

    def __str__(self) -> str:
        return self.name


class CupPairing(models.Model):
    """A pairing of the draw that was begun, or given to a team: `number` is the draw's, the teams are seeds.

    `walkover` is the place (1 or 2) of the team that goes on without playing it out. Without the event, when
    that was deleted, the pairing can be begun again.
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

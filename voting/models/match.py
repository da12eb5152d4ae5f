"""The models of a match and its turns."""

from django.db import models
from django.db.models import CheckConstraint, F, Q, UniqueConstraint

from voting.counting.commitments import FROM_ROOTS, FROM_SEED, commit_lot
from voting.models.event import Event
from voting.models.match_terms import MatchTerms
from voting.models.team import Team
from voting.terms import Ending, MatchState, VoidReason


class MatchResult(models.TextChoices):
    RED = "red"
    YELLOW = "yellow"
    DRAW = "draw"


class Match(MatchTerms):
    """One match of one game. Its options have all lots drawn, from `chosen_options` by `seed`.

    `seed` is empty in matches of earlier versions, which did not commit to it.

    `bots` are the strengths of computer opponents by side, with the `version` of their table.

    `rehearsed`: a simulated crowd (dry run) has played in it, so that it counts neither in cups nor ratings.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="matches")
    number = models.PositiveIntegerField()
    red = models.ForeignKey(Team, on_delete=models.RESTRICT, related_name="+")
    yellow = models.ForeignKey(Team, on_delete=models.RESTRICT, related_name="+")
    state = models.CharField(max_length=8, choices=MatchState.choices(), default=MatchState.PLAYING)
    result = models.CharField(max_length=8, choices=MatchResult.choices, null=True, blank=True)  # noqa: DJ001
    ended_by = models.CharField(max_length=8, choices=Ending.choices(), null=True, blank=True)  # noqa: DJ001
    seed = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    chosen_options = models.JSONField(null=True, blank=True, editable=False)
    bots = models.JSONField(null=True, blank=True, editable=False)
    rehearsed = models.BooleanField(default=False, db_default=False, editable=False)
    started_at = models.BigIntegerField()
    ended_at = models.BigIntegerField(null=True, blank=True)

    @property
    def is_secret(self) -> bool:
        """Whether the voters' sides are secret: they can change sides, and the match is not over."""
        return self.max_side_changes > 0 and self.state == MatchState.PLAYING

    class Meta(MatchTerms.Meta):
        db_table = "games_match"
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
                    ended_by__in=list(Ending),
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
    """The life cycle of a turn.

    A concealed turn is counted but not yet revealed; a void one is voted again.
    """

    OPEN = "open"
    PAUSED = "paused"
    CONCEALED = "hidden"
    RESOLVED = "resolved"
    VOID = "void"


LIVE_STATES = [TurnState.OPEN, TurnState.PAUSED]
CLOSED_STATES = [TurnState.CONCEALED, TurnState.RESOLVED]


class Turn(models.Model):
    """One decision of the match.

    `version` grows with every change of state or time; writers compare it (compare-and-set). `epoch` grows
    when the ballot box loses the turn. `left_ms` is the rest of a paused window, `talk_left_ms` the talk
    time before the window, 0 once it was paused during the vote.

    A concealed turn is counted but secret until the next turn is resolved; `resolved_at` is the time of the
    reveal. No ballot is accepted after `sealed_at`.

    `stored`: ballots are also written to the database before they are acknowledged, because the window is or
    was long.

    `most_voters` and `most_ballots` are the most that the ballot box reported. If it then loses the turn at
    `box_lost_at`, the turn waits for as many from `reached_at` on: the time since when clients can reach a
    gateway.

    `awaits_sources`: ballots of a ballot source have yet to be cast (`voting.sources`).

    `seed` decides every lot of the turn, as `draws_version` says (`voting.counting.commitments`). If captains
    break ties, `*_captain` is the voter code of each. In a match with clocks, each side had `*_bank_ms` left
    when the window opened and used `*_used_ms` of it. `turn_commitment` commits to a turn with secret sides.
    `draw_offered_by` is the side whose draw offer stands during the vote.

    `seals` are all seals that were published (`voting.turns.seals`). `sealed_version` is the `version` that
    was sealed last. Turns of earlier versions have only `void_seals`: of a window that was opened again, or
    of a void turn. `voided_at` and `void_reason` are unknown for turns that an earlier version voided.
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
    stored = models.BooleanField(default=False, db_default=False)
    awaits_sources = models.BooleanField(default=False, db_default=False, editable=False)
    most_voters = models.PositiveIntegerField(default=0, db_default=0)
    most_ballots = models.PositiveIntegerField(default=0, db_default=0)
    box_lost_at = models.BigIntegerField(null=True, blank=True)
    reached_at = models.BigIntegerField(null=True, blank=True)
    seed = models.CharField(max_length=32)
    draws_version = models.PositiveSmallIntegerField(default=FROM_ROOTS, db_default=FROM_SEED, editable=False)
    red_captain = models.CharField(max_length=6, blank=True, default="", db_default="")
    yellow_captain = models.CharField(max_length=6, blank=True, default="", db_default="")
    red_pick = models.PositiveSmallIntegerField(null=True, blank=True)
    yellow_pick = models.PositiveSmallIntegerField(null=True, blank=True)
    red_bank_ms = models.BigIntegerField(null=True, blank=True)
    yellow_bank_ms = models.BigIntegerField(null=True, blank=True)
    red_used_ms = models.BigIntegerField(null=True, blank=True)
    yellow_used_ms = models.BigIntegerField(null=True, blank=True)
    sealed_at = models.BigIntegerField(null=True, blank=True)
    turn_commitment = models.CharField(max_length=64, blank=True, default="", db_default="")
    draw_offered_by = models.CharField(max_length=6, blank=True, default="", db_default="")
    resolved_at = models.BigIntegerField(null=True, blank=True)
    seals = models.JSONField(null=True, blank=True)
    sealed_version = models.PositiveIntegerField(default=0, db_default=0)
    void_seals = models.JSONField(null=True, blank=True)
    voided_at = models.BigIntegerField(null=True, blank=True)
    void_reason = models.CharField(
        max_length=12, choices=VoidReason.choices(), blank=True, default="", db_default=""
    )

    class Meta:
        db_table = "games_turn"
        indexes = [
            models.Index(fields=["state", "closes_at"], name="turn_due"),
            models.Index(fields=["opens_at"], condition=Q(awaits_sources=True), name="turn_awaiting_sources"),
        ]
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
                condition=Q(voided_at=None, void_reason="")
                | Q(state=TurnState.VOID, voided_at__isnull=False, void_reason__in=list(VoidReason)),
                name="turn_void_reason_when_void",
            ),
            CheckConstraint(
                condition=Q(state=TurnState.PAUSED, left_ms__isnull=False, left_ms__gte=0)
                | (~Q(state=TurnState.PAUSED) & Q(left_ms=None)),
                name="turn_time_left_when_paused",
            ),
            CheckConstraint(
                condition=Q(state__in=[*CLOSED_STATES, TurnState.VOID])
                | Q(red_pick=None, yellow_pick=None, sealed_at=None, resolved_at=None),
                name="turn_no_pick_while_live",
            ),
            CheckConstraint(
                condition=~Q(state=TurnState.RESOLVED) | Q(resolved_at__isnull=False),
                name="turn_resolved_at_when_resolved",
            ),
            CheckConstraint(
                condition=~Q(state=TurnState.CONCEALED) | Q(sealed_at__isnull=False, resolved_at=None),
                name="turn_concealed_untold",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match} turn {self.number}"

    @property
    def lot(self) -> str:
        """The commitment to the seed, which is public before anyone votes."""
        return commit_lot(self.seed, self.draws_version)

    @property
    def is_sealed(self) -> bool:
        """Whether a seal of the turn as it is may be public."""
        return self.sealed_version == self.version

    @property
    def reveal_due_at(self) -> int:
        """When the turn is revealed at the latest: at its deadline, or after the wait for the host."""
        return self.closes_at + (self.match.host_wait_s or 0) * 1000

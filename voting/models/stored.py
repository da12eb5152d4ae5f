"""Stored ballots and tallies, side changes, tickets, restrictions, and the outbox."""

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.db.models.functions import Now
from django.utils import timezone

from voting.models.event import Event
from voting.models.match import Match, Turn

NICKNAME_LENGTH = 24
NICKNAME_SKELETON_LENGTH = 255


class StoredBallot(models.Model):
    """A voter's last ballot in a `stored` turn, written before it is acknowledged (write-ahead)."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="stored_ballots")
    voter = models.CharField(max_length=16)
    side = models.CharField(max_length=6)
    choice = models.PositiveBigIntegerField()
    sequence = models.PositiveIntegerField()
    blind = models.CharField(max_length=32, default="", db_default="")
    stored_at = models.BigIntegerField()

    class Meta:
        constraints = [
            UniqueConstraint(fields=["turn", "voter"], name="stored_ballot_one_a_voter"),
            CheckConstraint(condition=Q(side__in=["red", "yellow"]), name="stored_ballot_side_known"),
        ]

    def __str__(self) -> str:
        return f"{self.turn}: {self.voter}"


class TallyRecord(models.Model):
    """How a side decided a turn, with the sealed ballots, so that the count can be repeated.

    The ballots are in the order of the Merkle tree. If `is_sorted`, that is the order of their leaf hashes;
    in rows of earlier versions it is the order of arrival. `root` is the Merkle root over the blinded
    ballots, published before the reveal. `rounds` are the counts of a runoff. `resigning` and
    `draw_votes` are the numbers of ballots that asked to resign or for a draw. `captain` is the index of the
    captain's ballot, from 0.
    """

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="tallies")
    side = models.CharField(max_length=6)
    counts = models.JSONField()
    ballots = models.PositiveIntegerField()
    pick = models.PositiveSmallIntegerField(null=True, blank=True)
    decided_by = models.CharField(max_length=12)
    sealed = models.BinaryField()
    is_sorted = models.BooleanField(default=False, db_default=False)
    root = models.CharField(max_length=64, default="", db_default="")
    rounds = models.JSONField(null=True, blank=True)
    resigning = models.PositiveIntegerField(default=0, db_default=0)
    draw_votes = models.PositiveIntegerField(default=0, db_default=0)
    captain = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["turn", "side"], name="tally_one_a_side"),
            CheckConstraint(condition=Q(side__in=["red", "yellow"]), name="tally_side_known"),
        ]

    def __str__(self) -> str:
        return f"{self.turn}: {self.side}"


class StoredSideChange(models.Model):
    """A voter's `number`th side change in the match: to `side`, from turn number `turn` on.

    It is written before it is acknowledged. `blind` is the voter's blinding factor for the commitment.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="side_changes")
    voter = models.CharField(max_length=16)
    number = models.PositiveSmallIntegerField()
    turn = models.PositiveIntegerField()
    side = models.CharField(max_length=6)
    blind = models.CharField(max_length=32)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["match", "voter", "number"], name="side_change_number_once"),
            CheckConstraint(condition=Q(side__in=["red", "yellow"]), name="side_change_side_known"),
        ]

    def __str__(self) -> str:
        return f"{self.match}: {self.voter} for turn {self.turn}"


class SidesRecord(models.Model):
    """The anonymous record of the secret sides of a finished match.

    `summary` is the `sides` part of the match record (`voting/records/match_record.py`).
    """

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="sides_record")
    summary = models.JSONField()

    def __str__(self) -> str:
        return f"{self.match}"


class Ticket(models.Model):
    """A code that admits one voter: a printed ticket (`tickets`), or an entry of the class list (`roster`).

    `label` is the name and `team` the team on the class list. `voter` is the voter id for whoever joins with
    the code. A released ticket has no `used_at`, but keeps `first_used_at`: a client may still hold a seat
    from it.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="tickets")
    code = models.CharField(max_length=16)
    label = models.CharField(max_length=60, blank=True, default="", db_default="")
    team = models.PositiveSmallIntegerField(null=True, blank=True)
    voter = models.CharField(max_length=16)
    made_at = models.DateTimeField(default=timezone.now, db_default=Now())
    first_used_at = models.BigIntegerField(null=True, blank=True)
    used_at = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["event", "code"], name="ticket_code_once"),
            UniqueConstraint(fields=["event", "voter"], name="ticket_voter_once"),
            CheckConstraint(condition=Q(team=None) | Q(team__in=[1, 2]), name="ticket_team_1_or_2"),
        ]

    def __str__(self) -> str:
        return f"{self.event.code}: {self.label or self.pk}"


class StoredRestriction(models.Model):
    """An organizer's restriction of a voter code: moved to `team`, banned, or last kicked at `kicked_at`.

    `nameless`: the organizer removed the nickname. Nobody sees it, and the voter can't choose another.
    `muted`: the voter can't write suggestions.

    It applies to every seat with the voter code and overrides the seat's team. The audit log tells who set
    it.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="restrictions")
    voter_code = models.CharField(max_length=6)
    team = models.PositiveSmallIntegerField(null=True, blank=True)
    banned = models.BooleanField(default=False)
    nameless = models.BooleanField(default=False, db_default=False)
    muted = models.BooleanField(default=False, db_default=False)
    kicked_at = models.BigIntegerField(null=True, blank=True)
    at = models.BigIntegerField()

    class Meta:
        constraints = [
            UniqueConstraint(fields=["event", "voter_code"], name="restriction_once_per_voter_code"),
            CheckConstraint(condition=Q(team=None) | Q(team__in=[1, 2]), name="restriction_team_1_or_2"),
        ]

    def __str__(self) -> str:
        return f"{self.event.code}: {self.voter_code}"


class Nickname(models.Model):
    """A voter's nickname. Others see it once it is `allowed`: a suggested one at once, a typed one later.

    Names with the same `skeleton` look alike. `chosen_at` is ballot box time in milliseconds.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="chosen_nicknames")
    voter_code = models.CharField(max_length=6)
    name = models.CharField(max_length=NICKNAME_LENGTH)
    skeleton = models.CharField(max_length=NICKNAME_SKELETON_LENGTH)
    allowed = models.BooleanField()
    chosen_at = models.BigIntegerField()

    class Meta:
        constraints = [
            UniqueConstraint(fields=["event", "voter_code"], name="nickname_once_per_voter_code"),
            UniqueConstraint(fields=["event", "skeleton"], name="nickname_skeleton_once"),
        ]

    def __str__(self) -> str:
        return f"{self.event.code}: {self.voter_code}"


class Announcement(models.Model):
    """The transactional outbox: a message to all clients of an event, written with the change it announces.

    `made_at` and `sent_at` follow the server's clock, not the ballot box's.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="announcements")
    seq = models.BigIntegerField()
    body = models.BinaryField()
    made_at = models.DateTimeField(default=timezone.now, db_default=Now())
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["event", "seq"], condition=Q(sent_at=None), name="announcement_unsent")
        ]
        constraints = [UniqueConstraint(fields=["event", "seq"], name="announcement_seq_once")]

    def __str__(self) -> str:
        return f"{self.event.code} {self.seq}"

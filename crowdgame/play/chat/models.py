"""Chat rooms, messages, blocks, reports and mutes; suggestions of a team."""

from django.conf import settings
from django.db import models
from django.db.models import CASCADE, CheckConstraint, Q, UniqueConstraint

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.models import Duel
from voting.models import Event, Turn

LINE_LENGTH = 200
SUGGESTION_LENGTH = 140
SLOW_S = (2, 10, 30, 60, 300)


class RoomKind(models.TextChoices):
    LOBBY = "lobby", "Lobby"
    PLAYERS = "players", "Players"
    WATCHERS = "watchers", "Watchers"
    TEAM = "team", "Team"


class ChatRoom(models.Model):
    """A chat room: the lobby, that of a duel's players or of its watchers, or that of an event's team.

    `seq` is the change sequence number: every change takes the next one. `slow_s` is the slow mode, the
    seconds a guest waits between messages. Nobody can post in a `closed` room.
    """

    duel = models.ForeignKey(Duel, on_delete=CASCADE, null=True, blank=True, related_name="chat_rooms")
    event = models.ForeignKey(Event, on_delete=CASCADE, null=True, blank=True, related_name="chat_rooms")
    team = models.PositiveSmallIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=8, choices=RoomKind.choices)
    seq = models.BigIntegerField(default=0)
    slow_s = models.PositiveSmallIntegerField(default=SLOW_S[0])
    closed = models.BooleanField(default=False)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["duel", "kind"], name="chat_room_once"),
            UniqueConstraint(fields=["kind"], condition=Q(duel=None, event=None), name="chat_room_one_lobby"),
            UniqueConstraint(fields=["event", "team"], name="chat_room_once_a_team"),
            CheckConstraint(
                condition=Q(kind="lobby", duel=None, event=None, team=None)
                | (Q(kind__in=["players", "watchers"], event=None, team=None) & ~Q(duel=None))
                | (Q(kind="team", duel=None, team__in=[1, 2]) & ~Q(event=None)),
                name="chat_room_of_lobby_or_duel_or_team",
            ),
        ]
        permissions = [("moderate_chat", "Can moderate the chat")]

    def __str__(self) -> str:
        if self.event:
            return f"{self.event.code}: team {self.team}"
        return f"{self.duel.event.code}: {self.kind}" if self.duel else "the lobby"


class ChatLine(models.Model):
    """A message under the `name` that its guest had.

    `seq` is the room's number when it was posted or removed. Only moderators see a removed message. Retention
    deletes it with the others of its age.
    """

    room = models.ForeignKey(ChatRoom, on_delete=CASCADE, related_name="lines")
    guest = models.ForeignKey(Guest, on_delete=CASCADE, related_name="+")
    name = models.CharField(max_length=40)
    text = models.CharField(max_length=LINE_LENGTH)
    at = models.DateTimeField(db_index=True)
    seq = models.BigIntegerField()
    removed = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["room", "-at"], name="chat_line_latest")]
        constraints = [UniqueConstraint(fields=["room", "seq"], name="chat_line_seq_once")]

    def __str__(self) -> str:
        return f"message {self.pk} of {self.name}"


class ChatBlock(models.Model):
    """A guest who hides the messages of another."""

    guest = models.ForeignKey(Guest, on_delete=CASCADE, related_name="blocks")
    blocked = models.ForeignKey(Guest, on_delete=CASCADE, related_name="+")

    class Meta:
        constraints = [UniqueConstraint(fields=["guest", "blocked"], name="chat_block_once")]

    def __str__(self) -> str:
        return f"{self.guest} blocks {self.blocked}"


class ChatReport(models.Model):
    """A report of a message. `by` is None for a visitor without a guest."""

    line = models.ForeignKey(ChatLine, on_delete=CASCADE, related_name="reports")
    by = models.ForeignKey(Guest, on_delete=CASCADE, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=10)
    at = models.DateTimeField(auto_now_add=True)
    settled = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["-at"], condition=Q(settled=False), name="chat_report_open")]
        constraints = [
            UniqueConstraint(fields=["line", "by"], name="chat_report_once"),
            UniqueConstraint(fields=["line"], condition=Q(by=None), name="chat_report_once_by_nobody"),
        ]

    def __str__(self) -> str:
        return f"{self.reason}: {self.line}"


class ChatMute(models.Model):
    """A guest muted by a moderator in all rooms, forever if `until` is None."""

    guest = models.OneToOneField(Guest, on_delete=CASCADE, related_name="mute")
    until = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.guest} is muted"


class Suggestion(models.Model):
    """A suggestion of a voter to their team, about the column `choice` if that is set.

    `agreed` counts its marks of that kind. Nothing links it to the voter's ballot.
    """

    room = models.ForeignKey(ChatRoom, on_delete=CASCADE, related_name="suggestions")
    turn = models.ForeignKey(Turn, on_delete=CASCADE, related_name="+")
    voter_code = models.CharField(max_length=6)
    text = models.CharField(max_length=SUGGESTION_LENGTH)
    choice = models.PositiveBigIntegerField(null=True, blank=True)
    at = models.DateTimeField(db_index=True)
    agreed = models.PositiveIntegerField(default=0)
    removed = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["room", "turn", "-agreed"], name="suggestion_most_agreed")]

    def __str__(self) -> str:
        return f"suggestion {self.pk} of {self.voter_code}"


class MarkKind(models.TextChoices):
    AGREE = "agree", "Agree"
    REPORT = "report", "Report"


class Mark(models.Model):
    """A voter agrees with a suggestion or reports it, once each."""

    suggestion = models.ForeignKey(Suggestion, on_delete=CASCADE, related_name="marks")
    voter_code = models.CharField(max_length=6)
    kind = models.CharField(max_length=6, choices=MarkKind.choices)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["suggestion", "voter_code", "kind"], name="suggestion_marked_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.voter_code}: {self.suggestion}"

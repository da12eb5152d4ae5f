"""The model of a team."""

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from voting.models.event import Event
from voting.terms import BOT, DISCORD, PHONES, TWITCH


class Team(models.Model):
    """One of the event's two teams.

    `source` is where its ballots come from: `phones`, `hands` (an organizer enters the counts of a show of
    hands), or the slug and address of a ballot source (`voting.sources`), such as `bot:3` or
    `twitch:channel`.

    `captain` is the voter code of its captain, whose ballot breaks ties if the match uses captains. `solo`: a
    single voter with a ticket plays it, and everyone else joins the other team.

    `color` is `#rrggbb`, or empty for the color of the side that it plays.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="teams")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=40)
    source = models.CharField("where its ballots come from", max_length=80, default=PHONES, db_default=PHONES)
    captain = models.CharField(max_length=6, blank=True, default="", db_default="", editable=False)
    color = models.CharField(max_length=7, blank=True, default="", db_default="", editable=False)
    solo = models.BooleanField("is one voter, with a ticket", default=False, db_default=False, editable=False)

    class Meta:
        db_table = "games_team"
        constraints = [
            UniqueConstraint(fields=["event", "number"], name="team_number_once"),
            CheckConstraint(condition=Q(number__in=[1, 2]), name="team_number_1_or_2"),
            UniqueConstraint(
                fields=["event", "source"],
                condition=Q(source__startswith=f"{TWITCH}:") | Q(source__startswith=f"{DISCORD}:"),
                name="team_chat_once_an_event",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_public(self) -> bool:
        """Whether anyone can read its votes before the reveal."""
        return self.source.startswith(f"{TWITCH}:")

    @property
    def bot_strength(self) -> int | None:
        """The strength of the computer opponent that plays this team; None if none does."""
        slug, _, address = self.source.partition(":")
        return int(address) if slug == BOT else None

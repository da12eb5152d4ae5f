"""Event presets: templates with settings for typical events, and random team names."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster
from voting.events import create_event
from voting.models import Event
from voting.names import TEAM_NAMES
from voting.terms import BOT, HANDS, TWITCH, Nicknames, Pace, TeamChoice

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

DAY_S = 24 * 3600
FOR_CLASSES = {"nicknames": Nicknames.OFF}


@dataclass(frozen=True, slots=True)
class Preset:
    """A template for new events.

    `choices` are the fields of Event that differ from the defaults. `sources` are those of the teams without
    phones, by number; one that ends with a colon needs an address from the form. With `solo`, the first team
    is one person with a ticket.
    """

    slug: str
    title: "StrOrPromise"
    line: "StrOrPromise"
    choices: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[int, str] = field(default_factory=dict)
    solo: bool = False

    @property
    def icon(self) -> str:
        return f"events/presets/{self.slug}.html"

    @property
    def needs_form(self) -> bool:
        """Whether something is missing, so that it can't create an event in one click."""
        return any(source.endswith(":") for source in self.sources.values())

    def build_event(self) -> Event:
        """Return an unsaved event with the preset's settings, as a form's initial instance."""
        return Event(**self.choices)

    def team_names(self) -> tuple[str, str]:
        one, two = random_team_names()
        if self.solo:
            return gettext("One person"), gettext("The world")
        return one, gettext("The computer") if self.sources.get(2, "").startswith(BOT) else two

    def create(self, owner: User) -> Event:
        names = self.team_names()
        with transaction.atomic():
            event = create_event(owner, default_event_name(names), names, **self.choices)
            for number, source in self.sources.items():
                event.teams.filter(number=number).update(source=source)
            if self.solo:
                make_solo(event)
        return event


EMPTY_PRESET = Preset("empty", _("Empty"), _("The default settings, ready to change."))
PRESETS = (
    Preset(
        "two-halls",
        _("Two halls"),
        _("Two audiences, 20 seconds per vote, teams of even size."),
        {"window_s": 20},
    ),
    Preset(
        "first-game",
        _("Classroom: first game"),
        _("Six columns, 30 seconds to talk before each vote, and slow reveals."),
        {"options": {"columns": 6}, "talk_s": 30, "window_s": 20, "pace": Pace.DRAMATIC} | FOR_CLASSES,
    ),
    Preset(
        "two-classes",
        _("Two classes, one room"),
        _("Each class scans its own code. 15 seconds to talk, and up to 30 to vote."),
        {"window_s": 30, "talk_s": 15, "close_early": True, "team_choice": TeamChoice.LINK} | FOR_CLASSES,
    ),
    Preset(
        "class-against-class",
        _("Class against class"),
        _("Two schools, one day per turn. Each class has its own link. No app needed."),
        {"window_s": DAY_S, "team_choice": TeamChoice.LINK} | FOR_CLASSES,
    ),
    Preset(
        "show-of-hands",
        _("Show of hands"),
        _("One team uses phones. The other raises hands, and you enter the counts."),
        {"window_s": 60},
        sources={2: HANDS},
    ),
    Preset(
        "computer",
        _("Everybody against the computer"),
        _("One audience plays against the computer, which never sees the votes."),
        {"window_s": 20, "close_early": True},
        sources={2: f"{BOT}:3"},
    ),
    Preset(
        "stream",
        _("A stream against the hall"),
        _("One team votes in a Twitch chat, the other by phone. 60 seconds per vote."),
        {"window_s": 60},
        sources={2: f"{TWITCH}:"},
    ),
    Preset(
        "one-against-all",
        _("One against the world"),
        _("One person with a ticket against everybody. One day per turn."),
        {"window_s": DAY_S},
        solo=True,
    ),
    Preset(
        "best-of-three",
        _("Best of three"),
        _("First to two wins. The next match starts automatically after 30 seconds."),
        {"window_s": 20, "best_of": 3, "next_match_after_s": 30},
    ),
    EMPTY_PRESET,
)
PRESETS_BY_SLUG = {preset.slug: preset for preset in PRESETS}


def make_solo(event: Event) -> None:
    """Make the first team a single voter, whose ticket has the team's name. Everyone else joins the other."""
    team = event.teams.get(number=1)
    event.teams.filter(pk=team.pk).update(solo=True)
    make_roster(event, [Pupil(team.name, team.number)])


def random_team_names() -> tuple[str, str]:
    """Return two default names in the active language."""
    one, two = secrets.SystemRandom().sample(TEAM_NAMES, 2)
    return gettext(one), gettext(two)


def default_event_name(teams: tuple[str, str]) -> str:
    """Return the name of an event without one: "A vs. B", cut to the column's length."""
    longest = Event._meta.get_field("name").max_length
    name = gettext("%(one)s vs. %(other)s") % {"one": teams[0], "other": teams[1]}
    return name[:longest].strip()

"""Texts, choices and custom fields of the event form."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.engine.registry import all_games
from voting.counting.methods.voting_method import METHODS
from voting.models import Team
from voting.names import clean_name
from voting.sources.bots import SOURCE as BOTS
from voting.terms import Admission, Pace

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

TEAM_FIELDS = ("team_1", "team_2")
SOURCE_FIELDS = ("source_1", "source_2")
SIDE_CHANGES_CONFLICT = _(
    "Secret sides cannot be combined with teams without phones, clocks, captains or votes before the reveal."
)
DISCUSSION_CONFLICT = _("With secret sides, teams cannot have a discussion: voters would read both sides.")
SERIES_LABELS: "dict[int, StrOrPromise]" = {
    3: _("Best of three"),
    5: _("Best of five"),
    7: _("Best of seven"),
}
ADMISSION_TEXTS = {
    Admission.OPEN: _(
        "One vote per device. Someone with two phones has two votes. For audiences that you trust."
    ),
    Admission.ROTATING: _(
        "Voters must see the screen when they join, so a shared link alone is not enough. "
        "Two phones still have two votes. Open the big screen from “My events” or the console."
    ),
    Admission.TICKETS: _(
        "One vote per ticket, and each ticket admits one phone. "
        "Create, print and release tickets on the event's codes page."
    ),
    Admission.ROSTER: _(
        "One vote per name on your list, on any number of devices. People can pass their code "
        "on. No account or password is needed."
    ),
}
NAME_LENGTH = Team._meta.get_field("name").max_length


def game_choices() -> list[tuple[str, str]]:
    return [(slug, gettext(game.title)) for slug, game in all_games().items()]


def pace_choices(own: str = Pace.NORMAL) -> list[tuple[str, str]]:
    """Return the paces for an audience, and the event's own."""
    return [(pace, gettext(pace.label)) for pace in Pace if pace != Pace.INSTANT or pace == own]


def method_choices() -> list[tuple[str, str]]:
    return [(name, gettext(method.label)) for name, method in METHODS.items()]


class NameField(forms.CharField):
    """A display name: one line, without invisible characters (see `clean_name`)."""

    def to_python(self, value: Any) -> str:
        return clean_name(super().to_python(value) or "")


def computer_name(strength: str | int) -> str:
    """Return the name of a team that the computer plays, in the active language."""
    return gettext("Computer %(strength)s") % {"strength": strength}


def computer_choices() -> list[tuple[str, str]]:
    return [(strength, gettext(label)) for strength, label in BOTS.addresses.items()]

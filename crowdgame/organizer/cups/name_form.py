"""The form that renames a cup and its teams, and lets a late team replace the computer.

It does not change the draw.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crowdgame.events.event_texts import NameField
from crowdgame.organizer.cups.forms import MAX_TEAM_NAME_LENGTH
from crowdgame.organizer.cups.models import Cup
from crowdgame.organizer.cups.renaming import may_replace_filler
from voting.terms import PHONES

TEAM_FIELD = "team_{}"


class CupNamesForm(forms.Form):
    name = NameField(
        label=_("Cup name"),
        max_length=Cup._meta.get_field("name").max_length,
        error_messages={"required": _("Enter a cup name.")},
    )

    def __init__(self, cup: Cup, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"name": cup.name})
        self.cup = cup
        self.label_suffix = ""
        names = cup.teams.filter(source=PHONES).order_by("seed").values_list("seed", "name")
        self.fields |= {TEAM_FIELD.format(seed): _team_field(seed, name) for seed, name in names}
        if may_replace_filler(cup):
            self.fields["late_team"] = _late_team_field()

    @property
    def teams(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name != "name"]

    @property
    def team_names(self) -> tuple[str, ...]:
        """The names by seed, with that of a late team as the last one."""
        return tuple(filter(None, (self.cleaned_data[team.name] for team in self.teams)))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        computers = self.cup.teams.exclude(source=PHONES)
        taken = set(map(str.casefold, computers.values_list("name", flat=True)))
        for team in self.teams:
            name = cleaned.get(team.name, "")
            if name.casefold() in taken:
                self.add_error(team.name, gettext("“%(name)s” appears twice.") % {"name": name})
            taken |= {name.casefold()} - {""}
        return cleaned


def _team_field(seed: int, name: str) -> NameField:
    return NameField(
        label=gettext("Team %(number)d") % {"number": seed},
        max_length=MAX_TEAM_NAME_LENGTH,
        initial=name,
        error_messages={"required": gettext("Enter a team name.")},
        widget=_name_input(),
    )


def _late_team_field() -> NameField:
    return NameField(
        label=gettext("Late team"),
        max_length=MAX_TEAM_NAME_LENGTH,
        required=False,
        widget=_name_input(),
        help_text=gettext("Takes the place of the computer, until the computer's first pairing starts."),
    )


def _name_input() -> forms.TextInput:
    return forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})

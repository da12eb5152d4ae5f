"""The form that renames a cup and its teams. It does not change the draw."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crowdgame.events.event_texts import NameField
from crowdgame.organizer.cups.models import Cup, CupTeam

TEAM_FIELD = "team_{}"


class CupNamesForm(forms.Form):
    name = NameField(
        label=_("Cup name"),
        max_length=Cup._meta.get_field("name").max_length,
        error_messages={"required": _("Enter a cup name.")},
    )

    def __init__(self, cup: Cup, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"name": cup.name})
        self.label_suffix = ""
        names = cup.teams.order_by("seed").values_list("seed", "name")
        self.fields |= {TEAM_FIELD.format(seed): _team_field(seed, name) for seed, name in names}

    @property
    def teams(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name != "name"]

    @property
    def team_names(self) -> tuple[str, ...]:
        return tuple(self.cleaned_data[team.name] for team in self.teams)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        taken: set[str] = set()
        for team in self.teams:
            name = cleaned.get(team.name, "")
            if name.casefold() in taken:
                self.add_error(team.name, gettext("“%(name)s” appears twice.") % {"name": name})
            taken |= {name.casefold()} - {""}
        return cleaned


def _team_field(seed: int, name: str) -> NameField:
    return NameField(
        label=gettext("Team %(number)d") % {"number": seed},
        max_length=CupTeam._meta.get_field("name").max_length,
        initial=name,
        error_messages={"required": gettext("Enter a team name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

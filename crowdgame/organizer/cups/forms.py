"""The form of a new cup: teams as a pasted list, the format, and the terms of every pairing."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext, override, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from crowdgame.events.durations import DurationField
from crowdgame.events.event_texts import (
    NameField,
    computer_choices,
    computer_name,
    game_choices,
    pace_choices,
)
from crowdgame.events.game_options import add_option_fields, apply_options, game_rows
from crowdgame.events.presets import PRESETS, Preset
from crowdgame.events.setting_fields import language_field, texts
from crowdgame.organizer.cups.cups import create_cup
from crowdgame.organizer.cups.models import MAX_CUP_TEAMS, Cup
from crowdgame.organizer.cups.pairing import CupFormat
from voting.models import MAX_TALK_S, MAX_WINDOW_S, MIN_WINDOW_S
from voting.models.settings import choices
from voting.names import clean_name
from voting.terms import Nicknames

if TYPE_CHECKING:
    CupModelForm = forms.ModelForm[Cup]
else:
    CupModelForm = forms.ModelForm

MAX_LIST_LENGTH = 4_000
MAX_TEAM_NAME_LENGTH = 40
FORMAT_CHOICES = (
    (CupFormat.KNOCKOUT, _("Knockout: losers are eliminated")),
    (CupFormat.LEAGUE, _("League: everyone plays everyone")),
)
SERIES_CHOICES = ((1, _("One match")), (3, _("Best of three")), (5, _("Best of five")))
CUP_FIELDS = {field.name for field in Cup._meta.get_fields()}
# Pairings are voted by phone.
CUP_PRESETS = tuple(preset for preset in PRESETS if preset.choices and not preset.sources)


def cup_from_preset(preset: Preset | None) -> Cup:
    """Return an unsaved cup with the preset's choices that are fields of Cup, as the form's initial data."""
    choices = preset.choices if preset else {}
    return Cup(**{name: value for name, value in choices.items() if name in CUP_FIELDS})


def parse_team_list(text: str) -> tuple[str, ...]:
    """Return the distinct names in a pasted list, one a line. Skips empty lines. Raises ValidationError."""
    teams: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name = clean_name(line)
        if not name:
            continue
        if len(name) > MAX_TEAM_NAME_LENGTH:
            text = gettext("Line %(number)d: a team name has at most %(length)d characters.")
            raise forms.ValidationError(text % {"number": number, "length": MAX_TEAM_NAME_LENGTH})
        if name.casefold() in teams:
            text = gettext("Line %(number)d: “%(name)s” appears twice.")
            raise forms.ValidationError(text % {"number": number, "name": name})
        teams[name.casefold()] = name
    if not 1 < len(teams) <= MAX_CUP_TEAMS:
        text = gettext("A cup has 2 to %(most)d teams. Your list has %(count)d.")
        raise forms.ValidationError(text % {"most": MAX_CUP_TEAMS, "count": len(teams)})
    return tuple(teams.values())


class CupForm(CupModelForm):
    """The form of a new cup. `teams` are the cleaned names of the list, the first one is seed 1."""

    name = NameField(
        label=_("Cup name"),
        max_length=Cup._meta.get_field("name").max_length,
        error_messages={"required": _("Enter a cup name.")},
    )
    names = forms.CharField(
        label=_("Teams, one per line"),
        max_length=MAX_LIST_LENGTH,
        error_messages={"required": _("Enter the teams, one per line.")},
        widget=forms.Textarea(attrs={"rows": 8, "autocomplete": "off", "spellcheck": "false"}),
    )
    language = language_field()
    format = forms.ChoiceField(label=_("Format"), choices=FORMAT_CHOICES, widget=forms.RadioSelect)
    game = forms.ChoiceField(
        choices=game_choices, widget=forms.RadioSelect, error_messages={"required": _("Choose a game.")}
    )
    filler = forms.ChoiceField(
        label=_("With an odd number of teams"),
        choices=lambda: [("", gettext("A team has a bye")), *computer_choices()],
        required=False,
        help_text=_(
            "The computer fills the free place, as the last team of the list. It counts like any other team."
        ),
    )
    best_of = forms.TypedChoiceField(
        label=_("Matches per pairing"),
        choices=SERIES_CHOICES,
        coerce=int,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose an option.")},
    )
    window_s = DurationField(
        label=_("Time to vote"),
        presets=(12, 20, 30, 60, 300, 3600, 86400),
        limits=(MIN_WINDOW_S, MAX_WINDOW_S),
    )
    talk_s = DurationField(
        label=_("Time to talk before each vote"),
        presets=(15, 30, 60, 120),
        limits=(1, MAX_TALK_S),
        empty=pgettext_lazy("duration", "None"),
    )
    pace = forms.ChoiceField(
        label=_("Pace of the reveals"),
        choices=pace_choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a pace.")},
    )
    next_match_after_s = DurationField(
        label=_("Next match of a pairing"),
        presets=(10, 30, 60, 300),
        limits=(3, 24 * 3600),
        empty=_("When I start it"),
    )
    nicknames = forms.ChoiceField(
        **texts("nicknames"),
        choices=choices(Nicknames),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose an option.")},
    )

    class Meta:
        model = Cup
        fields = [
            "name",
            "language",
            "format",
            "game",
            "best_of",
            "window_s",
            "talk_s",
            "pace",
            "next_match_after_s",
            "nicknames",
            "close_early",
        ]
        labels = {"close_early": _("Close as soon as everyone connected has voted")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("instance", Cup())
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.teams: tuple[str, ...] = ()
        self._set_names_texts()
        add_option_fields(self)

    def _set_names_texts(self) -> None:
        names, most = self.fields["names"], {"most": MAX_CUP_TEAMS}
        names.error_messages["max_length"] = gettext("Enter at most %(most)s teams.") % most
        text = gettext(
            "2 to %(most)s teams, the strongest first. In a knockout, the first teams "
            "on the list meet each other late and receive the byes of the first round."
        )
        names.help_text = text % most

    @property
    def games(self) -> list[tuple[Any, str, list[forms.BoundField]]]:
        return game_rows(self)

    def clean_language(self) -> str:
        return self.cleaned_data["language"] or self.instance.language

    def clean_talk_s(self) -> int:
        return self.cleaned_data["talk_s"] or 0

    def clean_names(self) -> str:
        self.teams = parse_team_list(self.cleaned_data["names"])
        return str(self.cleaned_data["names"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        apply_options(self, cleaned)
        self._check_filler(cleaned)
        return cleaned

    def _check_filler(self, cleaned: dict[str, Any]) -> None:
        """Add an error if a team has the name of the computer that fills the free place."""
        if not cleaned.get("filler") or not len(self.teams) % 2:
            return
        with override(cleaned.get("language")):
            name = computer_name(cleaned["filler"])
        if name.casefold() in map(str.casefold, self.teams):
            self.add_error("names", gettext("“%(name)s” appears twice.") % {"name": name})

    def create(self, owner: User) -> Cup:
        choices = {name: self.cleaned_data[name] for name in self.Meta.fields if name != "name"}
        return create_cup(
            owner,
            self.cleaned_data["name"],
            self.teams,
            self.cleaned_data["filler"],
            **choices,
            options=self.instance.options,
        )

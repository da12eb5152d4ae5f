"""The form of an event: names, game and its options, voting, what comes between matches."""

import secrets
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.models import User
from django.forms import BoundField

from games.engine.errors import GameError
from games.engine.registry import all_games, find_game
from games.matches import create_event
from games.models import MAX_REVEAL_S, MAX_WINDOW_S, MIN_WINDOW_S, Admission, Event, Team
from games.names import TEAM_NAMES, clean_name
from voting.durations import DurationField
from voting.game_options import field_name, option_fields, read_choices, stored_choices

if TYPE_CHECKING:
    EventModelForm = forms.ModelForm[Event]
else:
    EventModelForm = forms.ModelForm

RADIOS = ("tally_method", "tie_rule", "no_ballot_rule", "team_choice", "admission")
TEAM_FIELDS = ("team_1", "team_2")
ADMISSIONS = {
    Admission.OPEN: "A device, not proof of a person: who has two phones has two votes. For a friendly hall.",
    Admission.ROTATING: "Who joins sees the screen in that minute: nobody joins from afar by a shared link. "
    "Two phones in the hall still have two votes. Open the projector from “My events” or the control room.",
    Admission.TICKETS: "One vote a ticket, and each opens one phone: as fair as you hand them out. "
    "Make, print and release them on the event's page of codes.",
    Admission.ROSTER: "One vote a name on your list, on however many devices. Who is given a code can pass "
    "it on; no account, no password.",
}
NAME_LENGTH = Team._meta.get_field("name").max_length


def game_choices() -> list[tuple[str, str]]:
    return [(slug, game.title) for slug, game in all_games().items()]


class NameField(forms.CharField):
    """A name as it will be shown: one line, nothing in it that cannot be seen."""

    def to_python(self, value: Any) -> str:
        return clean_name(super().to_python(value) or "")


class EventForm(EventModelForm):
    team_1 = NameField(
        label="First team, red", max_length=NAME_LENGTH, error_messages={"required": "Give the team a name."}
    )
    team_2 = NameField(
        label="Second team, yellow",
        max_length=NAME_LENGTH,
        error_messages={"required": "Give the team a name."},
    )
    game = forms.ChoiceField(
        choices=game_choices, widget=forms.RadioSelect, error_messages={"required": "Choose a game."}
    )
    window_s = DurationField(
        label="Time to vote",
        presets=(12, 20, 30, 60, 300, 3600, 86400),
        limits=(MIN_WINDOW_S, MAX_WINDOW_S),
        help_text="12 to 30 seconds suit a hall; hours or days suit a crowd that is apart.",
    )
    reveal_s = DurationField(
        label="Time to watch what came of it",
        presets=(4, 6, 8, 10),
        limits=(1, MAX_REVEAL_S),
        help_text="Both votes, the drops and the token are shown in this time.",
    )
    next_match_after_s = DurationField(
        label="Next match",
        presets=(10, 30, 60, 300),
        limits=(3, 24 * 3600),
        empty="When I start it",
        help_text="Counted from the end of the last reveal.",
    )

    class Meta:
        model = Event
        field_classes = {"name": NameField}
        fields = [
            "name",
            "game",
            "window_s",
            "reveal_s",
            "tally_method",
            "tie_rule",
            "no_ballot_rule",
            "close_early",
            "team_choice",
            "admission",
            "peek",
            "next_match_after_s",
        ]
        labels = {
            "name": "Name of the event",
            "tally_method": "How votes become a move",
            "tie_rule": "Two columns with the same number of votes",
            "no_ballot_rule": "Nobody of a team votes",
            "close_early": "Close as soon as everyone connected has voted",
            "team_choice": "How people get into a team",
            "admission": "Who may vote",
            "peek": "The control room sees the votes before the reveal; everybody is told so on the screen",
        }
        error_messages = {"name": {"required": "Give the event a name."}}
        widgets = dict.fromkeys(RADIOS, forms.RadioSelect)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("instance", Event())
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        if self.instance.pk:
            names = self.instance.teams.order_by("number").values_list("name", flat=True)
            self.initial.update(zip(TEAM_FIELDS, names, strict=True))
        else:
            drawn = secrets.SystemRandom().sample(TEAM_NAMES, len(TEAM_FIELDS))
            self.initial.update(zip(TEAM_FIELDS, drawn, strict=True))
        for game in all_games().values():
            ours = self.instance.game == game.slug
            chosen = stored_choices(game, self.instance.options) if ours else {}
            self.fields |= option_fields(game, chosen)

    @property
    def games(self) -> list[tuple[Any, list[BoundField]]]:
        """Each game's radio button, and the fields of its options."""
        rows = []
        for button in self["game"]:
            game = find_game(button.data["value"])
            names = [field_name(game, name) for name in game.options.__struct_fields__]
            rows.append((button, [self[name] for name in names if name in self.fields]))
        return rows

    @property
    def admissions(self) -> list[tuple[Any, str]]:
        """Each way in, and what it proves."""
        return [(button, ADMISSIONS[Admission(button.data["value"])]) for button in self["admission"]]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        names = [cleaned.get(field, "").casefold() for field in TEAM_FIELDS]
        if names[0] and names[0] == names[1]:
            self.add_error("team_2", "The teams need two different names.")
        if "game" in cleaned:
            try:
                self.instance.options = read_choices(find_game(cleaned["game"]), cleaned)
            except GameError as refusal:
                self.add_error("game", f"These options do not go together: {refusal}.")
        return cleaned

    def create(self, owner: User) -> Event:
        choices = {name: self.cleaned_data[name] for name in self.Meta.fields if name != "name"}
        choices["options"] = self.instance.options
        return create_event(owner, self.cleaned_data["name"], self._team_names(), **choices)

    def save_changes(self) -> Event:
        """Only what the form is about: the event's other columns may have moved on meanwhile."""
        self.instance.save(update_fields=[*self.Meta.fields, "options"])
        for number, name in enumerate(self._team_names(), 1):
            self.instance.teams.filter(number=number).update(name=name)
        return self.instance

    def _team_names(self) -> tuple[str, str]:
        return self.cleaned_data["team_1"], self.cleaned_data["team_2"]

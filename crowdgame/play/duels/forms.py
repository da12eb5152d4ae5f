"""The form of a new duel. Every field has a default, so nothing has to be filled in."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from crowdgame.events.event_texts import computer_choices, game_choices
from crowdgame.events.game_options import game_rows, option_fields, read_option_values
from crowdgame.play.duels.duels import DEFAULT_GAME, DuelSettings
from crowdgame.play.duels.time_controls import DEFAULT_TIME_CONTROL, TIME_CONTROLS, TIME_CONTROLS_BY_SLUG
from games.engine.errors import BadOptions
from games.engine.registry import all_games, find_game


class DuelForm(forms.Form):
    time_control = forms.ChoiceField(
        label=_("Time per player"),
        choices=[(time_control.slug, time_control.title) for time_control in TIME_CONTROLS],
        initial=DEFAULT_TIME_CONTROL.slug,
        required=False,
        widget=forms.RadioSelect,
    )
    game = forms.ChoiceField(
        label=_("Game"),
        choices=game_choices,
        initial=DEFAULT_GAME,
        required=False,
        widget=forms.RadioSelect,
    )
    unlisted = forms.BooleanField(label=_("Unlisted: only people with the link can join"), required=False)
    crowd = forms.BooleanField(label=_("Me against a crowd: anyone can join"), required=False)
    casual = forms.BooleanField(
        label=_("Casual: no rating, and both can agree to take a turn back"), required=False
    )
    bot = forms.TypedChoiceField(
        label=_("Strength"),
        choices=computer_choices,
        initial="2",
        coerce=int,
        empty_value=None,
        required=False,
    )
    random_on_timeout = forms.BooleanField(label=_("Play a random column when time runs out"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for game in all_games().values():
            self.fields.update(option_fields(game, {}))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        try:
            cleaned["options"] = read_option_values(find_game(self._game(cleaned)), cleaned)
        except BadOptions as refusal:
            raise ValidationError(str(refusal)) from refusal
        return cleaned

    @staticmethod
    def _game(cleaned: dict[str, Any]) -> str:
        return str(cleaned.get("game") or DEFAULT_GAME)

    def duel_settings(self) -> DuelSettings:
        cleaned = self.cleaned_data
        return DuelSettings(
            game=self._game(cleaned),
            options=cleaned["options"],
            time_control=TIME_CONTROLS_BY_SLUG.get(cleaned["time_control"], DEFAULT_TIME_CONTROL),
            listed=not cleaned["unlisted"] and not cleaned["bot"],
            random_on_timeout=cleaned["random_on_timeout"],
            crowd=cleaned["crowd"] and not cleaned["bot"],
            casual=cleaned["casual"] or bool(cleaned["bot"]),
            bot=cleaned["bot"],
        )

    def games(self) -> list[tuple[Any, str, list[forms.BoundField]]]:
        """Return each game's radio button, its rules, and the fields of its options."""
        return game_rows(self)

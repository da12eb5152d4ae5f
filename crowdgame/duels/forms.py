"""The form of a new game in the hall: everything has a usual value, and nothing has to be filled in."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from crowdgame.duels.duels import USUAL_GAME, DuelSettings
from crowdgame.duels.time_controls import BY_SLUG, TIME_CONTROLS, USUAL
from crowdgame.events.game_options import option_fields, option_rows, read_choices
from games.engine.errors import BadOptions
from games.engine.registry import all_games, find_game


class DuelForm(forms.Form):
    time_control = forms.ChoiceField(
        label="Clock of each player",
        choices=[(time_control.slug, time_control.title) for time_control in TIME_CONTROLS],
        initial=USUAL.slug,
        required=False,
        widget=forms.RadioSelect,
    )
    game = forms.ChoiceField(label="Game", initial=USUAL_GAME, required=False, widget=forms.RadioSelect)
    by_link = forms.BooleanField(label="Only for whoever has the link", required=False)
    crowd = forms.BooleanField(label="Me against a crowd: everybody who comes by", required=False)
    mercy = forms.BooleanField(label="Who runs out of time plays a random column", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(slug, game.title) for slug, game in all_games().items()]
        self.fields["game"].choices = choices  # type: ignore[attr-defined]
        for game in all_games().values():
            self.fields.update(option_fields(game, {}))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        try:
            cleaned["options"] = read_choices(find_game(self._game(cleaned)), cleaned)
        except BadOptions as refusal:
            raise ValidationError(str(refusal)) from refusal
        return cleaned

    @staticmethod
    def _game(cleaned: dict[str, Any]) -> str:
        return str(cleaned.get("game") or USUAL_GAME)

    def duel_settings(self) -> DuelSettings:
        cleaned = self.cleaned_data
        return DuelSettings(
            game=self._game(cleaned),
            options=cleaned["options"],
            time_control=BY_SLUG.get(cleaned["time_control"], USUAL),
            listed=not cleaned["by_link"],
            mercy=cleaned["mercy"],
            crowd=cleaned["crowd"],
        )

    def games(self) -> list[tuple[Any, str, list[forms.BoundField]]]:
        """Each game's button, its rules, and the fields of its options."""
        return option_rows(self)

"""Form fields for a game's options, derived from its msgspec option type, so that every game has them.

A field's title, help text and the labels of its choices come from `msgspec.Meta(title=..., description=...,
extra=...)`, if the game sets them. Supported types are Literal, bool, int and str. Options of other types
keep their defaults.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from msgspec import inspect

from games.engine.errors import BadOptions, GameError
from games.engine.game import Game
from games.engine.registry import all_games, find_game, read_options

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

OPTION_LABELS: "dict[str, StrOrPromise]" = {
    "columns": _("Columns"),
    "token": _("First holder of the initiative token"),
    "tie": _("If both complete a line in the same turn"),
    "first": _("First to move"),
}
CHOICE_LABELS: "dict[str, StrOrPromise]" = {
    "red": _("Red, the first team"),
    "yellow": _("Yellow, the second team"),
    "lot": _("Drawn at random"),
    "holder": _("The token's holder wins"),
    "other": _("The other team wins"),
}


def add_option_fields(form: "forms.ModelForm[Any]") -> None:
    """Add the option fields of all games. Those of the instance's game start with its stored options."""
    for game in all_games().values():
        ours = form.instance.game == game.slug
        form.fields |= option_fields(game, stored_options(game, form.instance.options) if ours else {})


def game_rows(form: forms.BaseForm) -> list[tuple[Any, str, list[forms.BoundField]]]:
    """Return each game's radio button, rules text and option fields."""
    rows = []
    for button in form["game"]:
        game = find_game(button.data["value"])
        names = [_field_name(game, name) for name in game.options.__struct_fields__]
        rows.append((button, gettext(game.rules), [form[name] for name in names if name in form.fields]))
    return rows


def apply_options(form: "forms.ModelForm[Any]", cleaned: Mapping[str, Any]) -> None:
    """Set the chosen game's options on the instance. Adds a form error to `game` if they are invalid."""
    if "game" in cleaned:
        try:
            form.instance.options = read_option_values(find_game(cleaned["game"]), cleaned)
        except GameError as refusal:
            text = gettext("These options cannot be combined: %(reason)s.")
            form.add_error("game", text % {"reason": refusal})


def stored_options(game: Game[Any], options: object) -> Mapping[str, object]:
    """Return an event's options for this game, or an empty mapping if they belong to another game."""
    try:
        read: dict[str, object] = msgspec.to_builtins(read_options(game, options))
    except BadOptions:
        return {}
    return read


def _field_name(game: Game[Any], option: str) -> str:
    return f"{game.slug}-{option}"


def option_fields(game: Game[Any], chosen: Mapping[str, object]) -> dict[str, forms.Field]:
    """Return a form field for each supported option, by field name. `chosen` are the initial values."""
    kind = inspect.type_info(game.options)
    assert isinstance(kind, inspect.StructType)  # noqa: S101  the contract of Game.options
    fields = {}
    for option in kind.fields:
        field = _form_field(option.type)
        if field is None:
            continue
        field.label = field.label or OPTION_LABELS.get(
            option.name, option.name.replace("_", " ").capitalize()
        )
        field.initial = chosen.get(option.name, option.default)
        field.required = False
        fields[_field_name(game, option.name)] = field
    return fields


def read_option_values(game: Game[Any], cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the complete options from a form's cleaned data. Raises BadOptions."""
    raw = {}
    for option in msgspec.structs.fields(game.options):
        value = cleaned.get(_field_name(game, option.name))
        if value is not None and value != "":
            raw[option.name] = value
    options: dict[str, Any] = msgspec.to_builtins(read_options(game, raw))
    return options


def _form_field(kind: inspect.Type) -> forms.Field | None:
    schema: Mapping[str, str] = {}
    labels: Mapping[str, str] = {}
    if isinstance(kind, inspect.Metadata):
        schema, labels, kind = kind.extra_json_schema or {}, kind.extra or {}, kind.type
    field = _plain_field(kind, labels)
    if field:
        field.label, field.help_text = (gettext(schema.get(text, "")) for text in ("title", "description"))
    return field


def _plain_field(kind: inspect.Type, labels: Mapping[str, str]) -> forms.Field | None:
    match kind:
        case inspect.LiteralType(values=values) if len(values) > 1:
            return _choice_field(values, labels)
        case inspect.BoolType():
            return forms.BooleanField()
        case inspect.IntType():
            return forms.IntegerField(min_value=kind.ge, max_value=kind.le)
        case inspect.StrType():
            return forms.CharField(max_length=kind.max_length)
    return None


def _choice_field(values: tuple[Any, ...], labels: Mapping[str, str]) -> forms.Field:
    by_text = {str(value): value for value in values}
    ordered = (
        sorted(values, reverse=True) if all(isinstance(v, int) for v in values) else _usual_first(values)
    )
    return forms.TypedChoiceField(
        choices=[(str(value), _choice_label(str(value), labels)) for value in ordered],
        coerce=by_text.__getitem__,
        empty_value=None,
        widget=forms.RadioSelect,
        error_messages={"invalid_choice": _("Choose one of these.")},
    )


def _choice_label(value: str, labels: Mapping[str, str]) -> "StrOrPromise":
    if value in labels:
        return gettext(labels[value])
    return CHOICE_LABELS.get(value, value.replace("_", " ").capitalize())


def _usual_first(values: tuple[Any, ...]) -> list[Any]:
    """Sort choices in the order of CHOICE_LABELS, unknown ones first.

    Needed because msgspec sorts the values of a Literal.
    """
    usual = list(CHOICE_LABELS)
    return sorted(values, key=lambda value: usual.index(value) if value in usual else -1)

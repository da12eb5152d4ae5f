"""The variant of a game, in a few words for lists and invitations."""

from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crowdgame.events.game_options import option_fields, stored_options
from games.engine.errors import UnknownGame
from games.engine.registry import find_game

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

TIMES = "\N{MULTIPLICATION SIGN}"
SHORT_TEXTS: "dict[tuple[str, object], StrOrPromise]" = {
    ("token", "red"): _("red has the token first"),
    ("token", "yellow"): _("yellow has the token first"),
    ("token", "lot"): _("token drawn at random"),
    ("tie", "holder"): _("two lines at once: the token's holder wins"),
    ("tie", "other"): _("two lines at once: the player without the token wins"),
    ("first", "red"): _("red moves first"),
    ("first", "yellow"): _("yellow moves first"),
    ("first", "lot"): _("first to move drawn at random"),
}

SIZE = ("columns", "rows")
VARIANT_NAMES: "dict[tuple[str, object], StrOrPromise]" = {
    ("token", "yellow"): _("yellow starts with the token"),
    ("token", "lot"): _("token drawn at random"),
    ("tie", "other"): _("flipped double win"),
    ("first", "red"): _("red moves first"),
    ("first", "yellow"): _("yellow moves first"),
}


def describe_variant(slug: str, options: object) -> list[str]:
    """Return the options of a game in words, its size first; empty if the game is not installed any more."""
    try:
        game = find_game(slug)
    except UnknownGame:
        return []
    chosen = dict(stored_options(game, options))
    fields = option_fields(game, chosen)
    columns, rows = chosen.pop("columns", None), chosen.pop("rows", None)
    size = [f"{columns} {TIMES} {rows}"] if columns and rows else []
    return size + [
        str(SHORT_TEXTS.get((name, value)) or _label(fields[f"{slug}-{name}"], value))
        for name, value in chosen.items()
        if f"{slug}-{name}" in fields
    ]


def name_variant(slug: str, options: object) -> list[str]:
    """Return the size of the board, and the option that differs from the game's defaults; for lists."""
    try:
        game = find_game(slug)
    except UnknownGame:
        return []
    chosen, usual = stored_options(game, options), stored_options(game, {})
    columns, rows = chosen.get("columns"), chosen.get("rows")
    size = [f"{columns} {TIMES} {rows}"] if columns and rows else []
    special = [(name, value) for name, value in chosen.items() if name not in SIZE and value != usual[name]]
    if not special:
        return size
    known = VARIANT_NAMES.get(special[0]) if len(special) == 1 else None
    return [*size, str(known or gettext("special rules"))]


def _label(field: forms.Field, value: object) -> str:
    """Return an option of a game that has no short text."""
    labels = dict(getattr(field, "choices", ()))
    texts = {"option": field.label, "value": labels.get(str(value), value)}
    return gettext("%(option)s: %(value)s") % texts

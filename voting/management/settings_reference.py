"""Generators of `frontend/src/settings.ts` and `docs/generated/event-settings.md` from the models."""

import json
from typing import Any

from django.db import models

from voting.models import Event, MatchTerms
from voting.models.settings import Setting, bounds, column_of, list_hidden_parts, list_settings
from voting.protocol import Clocks, EventState, Match

TYPESCRIPT = """\
// Generated from voting/models/ by `manage.py generate_protocol`. Edits here are lost.
import {{ p }} from "./live/i18n";
import type {{ Part }} from "./protocol";

/** The buttons that hide and show parts of the projector. */
export const PART_BUTTONS: {{ readonly [part in Part]: string }} = {{ {buttons} }};
"""
MARKDOWN = """\
# Event settings

<!-- Generated from voting/models/ by `manage.py generate_protocol`. Edits here are lost. -->

What organizers choose in the event form, by its name in the code and in records. *Public* settings are part
of the [messages](messages.md) to phones and screens.

| setting | label | values | default | applies | public |
| --- | --- | --- | --- | --- | --- |
{rows}
"""
PUBLIC = {*EventState.__struct_fields__, *Match.__struct_fields__, *Clocks.__struct_fields__}


def render_typescript() -> str:
    """Return the whole module. Deterministic."""
    parts = list_hidden_parts(Event).values()
    buttons = (f'{part.name}: p("part of the big screen", {json.dumps(part.button)})' for part in parts)
    return TYPESCRIPT.format(buttons=", ".join(buttons))


def render_markdown() -> str:
    """Return the whole page. Deterministic."""
    rows = (_row(column_of(Event, name), declared) for name, declared in list_settings(Event).items())
    return MARKDOWN.format(rows="\n".join(rows))


def _row(column: "models.Field[Any, Any]", declared: Setting) -> str:
    copied = column.name in {field.name for field in MatchTerms._meta.get_fields()}
    help_text = f". {column.help_text}" if column.help_text else ""
    cells = (
        f"`{column.name}`",
        f"{column.verbose_name}{help_text}",
        _values(column),
        _default(column),
        "next match" if copied else "at once",
        "yes" if column.name in PUBLIC or declared.hides else "",
    )
    return f"| {' | '.join(cells)} |"


def _values(column: "models.Field[Any, Any]") -> str:
    if column.choices:
        return ", ".join(f"`{value}`" for value, _ in column.flatchoices)
    least, most = bounds(column)
    if most is None:
        return "yes, no" if isinstance(column, models.BooleanField) else "text"
    unit = " seconds" if column.name.endswith("_s") else ""
    return f"{least or 0:,} to {most:,}{unit}"


def _default(column: "models.Field[Any, Any]") -> str:
    value = column.get_default()
    if isinstance(column, models.BooleanField):
        return "yes" if value else "no"
    return "none" if value in {None, ""} else f"`{value}`"

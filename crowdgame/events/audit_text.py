"""Texts of the audit log: stored as a message and its values, and translated for each reader."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.formats import number_format
from django.utils.translation import get_language_bidi, gettext, gettext_lazy, pgettext

from crowdgame.events.durations import format_duration

TOO_LATE = gettext_lazy("This can't be undone any more.")


class LogText(NamedTuple):
    """A message, marked by `gettext_noop`, and the values of its placeholders.

    A value is a string, an integer, a LogText, or a list of LogTexts. `duration` is in seconds. `%(by)s`, the
    organizer, is in the message of each entry but not in the values.
    """

    message: str
    values: Mapping[str, Any] = {}


def format_text(message: str, values: Mapping[str, Any]) -> str:
    """Return the text in the active language. `values` are those of a LogText, as stored in JSON."""
    formatted = {name: _format(name, value) for name, value in values.items()}
    return gettext(message) % formatted if formatted else gettext(message)


def _format(name: str, value: Any) -> str:
    if name == "duration":
        return format_duration(value)
    match value:
        case int():
            return number_format(value, force_grouping=True)
        case str():
            return f"\u2068{value}\u2069" if get_language_bidi() else value
        case [str(message), values]:
            return format_text(message, values)
    return pgettext("between the items of a list", ", ").join(_format(name, one) for one in value)

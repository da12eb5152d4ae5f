"""Form fields of an event's settings, with the texts and bounds of the model's fields."""

from collections.abc import Sequence
from typing import Any

from django.utils.text import capfirst

from crowdgame.events.durations import DurationField
from voting.models import Event
from voting.models.settings import bounds, column_of


def texts(name: str) -> dict[str, Any]:
    """The label and help text of a setting, as arguments of a form field."""
    column = column_of(Event, name)
    return {"label": capfirst(str(column.verbose_name)), "help_text": column.help_text}


def duration(name: str, presets: Sequence[int], empty: str = "") -> DurationField:
    """A duration field for a setting. `empty` is the choice of no duration, if there is one."""
    least, most = bounds(column_of(Event, name))
    return DurationField(presets=presets, limits=(least or 1, most or 0), empty=empty, **texts(name))

"""Form fields of an event's settings, with the texts and bounds of the model's fields."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from crowdgame.events.durations import DurationField
from voting.models import Event
from voting.models.settings import bounds, column_of

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def language_field() -> forms.ChoiceField:
    """The language of an event or cup."""
    return forms.ChoiceField(
        label=_("Language"),
        choices=settings.LANGUAGES,
        required=False,
        help_text=_("For the big screen, printed sheets and reports. Each phone has its own language."),
    )


def texts(name: str) -> dict[str, Any]:
    """The label and help text of a setting, as arguments of a form field."""
    column = column_of(Event, name)
    return {"label": column.verbose_name, "help_text": column.help_text}


def duration(name: str, presets: Sequence[int], empty: "StrOrPromise | None" = None) -> DurationField:
    """A duration field for a setting. `empty` is the choice of no duration, if there is one."""
    least, most = bounds(column_of(Event, name))
    return DurationField(presets=presets, limits=(least or 1, most or 0), empty=empty, **texts(name))

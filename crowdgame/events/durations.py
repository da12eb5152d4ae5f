"""Duration form field: a choice of presets, or a number and a unit. The value is in seconds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.translation import gettext, ngettext_lazy, pgettext_lazy
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

CUSTOM_CHOICE = "other"
UNITS = (("1", _("seconds")), ("60", _("minutes")), ("3600", _("hours")), ("86400", _("days")))
DURATION_TEXTS = {  # by the unit's seconds, the largest first
    86400: ngettext_lazy("%(count)d day", "%(count)d days", "count"),
    3600: ngettext_lazy("%(count)d hour", "%(count)d hours", "count"),
    60: ngettext_lazy("%(count)d minute", "%(count)d minutes", "count"),
    1: ngettext_lazy("%(count)d second", "%(count)d seconds", "count"),
}


def format_duration(seconds: int) -> str:
    """Format seconds in the largest unit that divides them: "90 seconds", "2 minutes", "1 day"."""
    size = next(size for size in DURATION_TEXTS if seconds % size == 0)
    return DURATION_TEXTS[size] % {"count": seconds // size}


format_duration_lazy = lazy(format_duration, str)


class DurationWidget(forms.MultiWidget):
    template_name = "events/duration.html"

    def __init__(self, presets: Sequence[int], empty: "StrOrPromise | None") -> None:
        self.presets = presets
        choices = [(str(seconds), format_duration_lazy(seconds)) for seconds in presets]
        none = [] if empty is None else [("", empty)]
        widgets: dict[str, forms.Widget | type[forms.Widget]] = {
            "usual": forms.RadioSelect(
                choices=[*none, *choices, (CUSTOM_CHOICE, pgettext_lazy("duration", "Other"))]
            ),
            "number": forms.NumberInput(attrs={"min": 1, "step": 1, "aria-label": _("Amount")}),
            "unit": forms.Select(choices=UNITS, attrs={"aria-label": _("Unit")}),
        }
        super().__init__(widgets)

    def as_posted(self, name: str, value: int | None) -> dict[str, Any]:
        """Return a duration as a browser would send it."""
        parts = ("usual", "number", "unit")
        return {f"{name}_{part}": one for part, one in zip(parts, self.decompress(value), strict=True)}

    def decompress(self, value: int | None) -> list[Any]:
        if not value:
            return ["", None, "1"]
        if value in self.presets:
            return [str(value), None, "1"]
        size = next(int(size) for size, _label in reversed(UNITS) if value % int(size) == 0)
        return [CUSTOM_CHOICE, value // size, str(size)]


class DurationField(forms.MultiValueField):
    """A duration in seconds, or None if `empty` is set and chosen.

    `presets` are durations in seconds. `limits` are the shortest and the longest duration in seconds, both
    inclusive. `empty` is the label of the choice "none"; without it the field is required.
    """

    def __init__(
        self,
        *,
        presets: Sequence[int],
        limits: tuple[int, int],
        empty: "StrOrPromise | None" = None,
        **options: Any,
    ) -> None:
        self.limits, self.empty = limits, empty
        widget = DurationWidget(presets, empty)
        parts = (
            forms.ChoiceField(choices=widget.widgets[0].choices, required=False),  # type: ignore[attr-defined]
            forms.IntegerField(
                required=False, max_value=10**9, error_messages={"invalid": _("Enter a whole number.")}
            ),
            forms.ChoiceField(choices=UNITS, required=False),
        )
        options.setdefault("error_messages", {"required": _("Choose a duration.")})
        super().__init__(parts, widget=widget, required=empty is None, require_all_fields=False, **options)

    def compress(self, data_list: list[Any]) -> int | None:
        usual, number, unit = data_list or ["", None, ""]
        if not usual:
            return None
        if usual != CUSTOM_CHOICE:
            return int(usual)
        if number is None:
            raise ValidationError(gettext("Enter a number and choose a unit."))
        return int(number) * int(unit or 1)

    def validate(self, value: int | None) -> None:
        shortest, longest = self.limits
        if value is None and self.required:
            raise ValidationError(self.error_messages["required"], code="required")
        if value is not None and not shortest <= value <= longest:
            text = gettext("Choose between %(shortest)s and %(longest)s.")
            limits = {"shortest": format_duration(shortest), "longest": format_duration(longest)}
            raise ValidationError(text % limits)

"""Duration form field: a choice of presets, or a number and a unit. The value is in seconds."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

CUSTOM_CHOICE = "other"
UNITS = (("1", "seconds"), ("60", "minutes"), ("3600", "hours"), ("86400", "days"))


def format_duration(seconds: int) -> str:
    """Format seconds in the largest unit that divides them: "90 seconds", "2 minutes", "1 day"."""
    size, unit = next((int(s), u) for s, u in reversed(UNITS) if seconds % int(s) == 0)
    count = seconds // size
    return f"{count} {unit.removesuffix('s') if count == 1 else unit}"


class DurationWidget(forms.MultiWidget):
    template_name = "events/duration.html"

    def __init__(self, presets: Sequence[int], empty: str) -> None:
        self.presets = presets
        choices = [(str(seconds), format_duration(seconds)) for seconds in presets]
        none = [("", empty)] if empty else []
        widgets: dict[str, forms.Widget | type[forms.Widget]] = {
            "usual": forms.RadioSelect(choices=[*none, *choices, (CUSTOM_CHOICE, "Other")]),
            "number": forms.NumberInput(attrs={"min": 1, "step": 1, "aria-label": "Amount"}),
            "unit": forms.Select(choices=UNITS, attrs={"aria-label": "Unit"}),
        }
        super().__init__(widgets)

    def decompress(self, value: int | None) -> list[Any]:
        if not value:
            return ["", None, "1"]
        if value in self.presets:
            return [str(value), None, "1"]
        size = next(int(size) for size, _ in reversed(UNITS) if value % int(size) == 0)
        return [CUSTOM_CHOICE, value // size, str(size)]


class DurationField(forms.MultiValueField):
    """A duration in seconds, or None if `empty` is set and chosen.

    `presets` are durations in seconds. `limits` are the shortest and the longest duration in seconds, both
    inclusive. `empty` is the label of the choice "none"; without it the field is required.
    """

    def __init__(
        self, *, presets: Sequence[int], limits: tuple[int, int], empty: str = "", **options: Any
    ) -> None:
        self.limits, self.empty = limits, empty
        widget = DurationWidget(presets, empty)
        parts = (
            forms.ChoiceField(choices=widget.widgets[0].choices, required=False),  # type: ignore[attr-defined]
            forms.IntegerField(
                required=False, max_value=10**9, error_messages={"invalid": "Enter a whole number."}
            ),
            forms.ChoiceField(choices=UNITS, required=False),
        )
        options.setdefault("error_messages", {"required": "Choose a duration."})
        super().__init__(parts, widget=widget, required=not empty, require_all_fields=False, **options)

    def compress(self, data_list: list[Any]) -> int | None:
        usual, number, unit = data_list or ["", None, ""]
        if not usual:
            return None
        if usual != CUSTOM_CHOICE:
            return int(usual)
        if number is None:
            raise ValidationError("Enter a number and choose a unit.")
        return int(number) * int(unit or 1)

    def validate(self, value: int | None) -> None:
        shortest, longest = self.limits
        if value is None and self.required:
            raise ValidationError(self.error_messages["required"], code="required")
        if value is not None and not shortest <= value <= longest:
            raise ValidationError(
                f"Choose between {format_duration(shortest)} and {format_duration(longest)}."
            )

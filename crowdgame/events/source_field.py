"""The form field for where a team's ballots come from: a choice and, for a chat, its channel."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from voting.sources.registry import find_source, source_labels, typed_sources
from voting.terms import HANDS, PHONES


def source_choices() -> list[tuple[str, str]]:
    """Return where a team's ballots can come from. A choice that ends with a colon needs an address."""
    others = [(source, gettext(label)) for source, label in source_labels().items()]
    return [(PHONES, gettext("Phones")), (HANDS, gettext("No phones: I count raised hands")), *others]


class SourceWidget(forms.Select):
    template_name = "events/source.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        self.choices = source_choices()  # in the language of the page
        slug, _colon, address = str(value or "").partition(":")
        is_typed = slug in typed_sources()
        context = super().get_context(name, f"{slug}:" if is_typed else value, attrs)
        return context | {"address": address if is_typed else ""}

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> str:
        """Return the choice with its address. A program may also post both as one value."""
        chosen = data.get(name) or ""
        return chosen + data.get(f"{name}_address", "") if chosen.endswith(":") else chosen


class SourceField(forms.CharField):
    """The source of a team, as stored. Without a choice, phones."""

    def __init__(self) -> None:
        super().__init__(label=_("Votes come from"), required=False, widget=SourceWidget)

    def to_python(self, value: Any) -> str:
        chosen = str(super().to_python(value) or PHONES)
        slug, _colon, address = chosen.partition(":")
        if source := typed_sources().get(slug):
            parsed = source.parse_address(address)
            if not parsed:
                raise ValidationError(gettext(source.address_error))
            return f"{slug}:{parsed}"
        if chosen not in (PHONES, HANDS) and find_source(chosen) is None:
            raise ValidationError(
                forms.ChoiceField.default_error_messages["invalid_choice"], params={"value": chosen}
            )
        return chosen

"""Settings of an event, each declared once: as a field of `Event` or `MatchTerms`.

The field holds the label, help text, choices, bounds and default; `setting` adds the rest. The event form,
the actions that hide parts of the projector, `frontend/src/settings.ts` and
`docs/generated/event-settings.md` derive from these declarations.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from django.core.validators import BaseValidator, MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy

from voting.terms import LabeledEnum

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Section = Literal["vote", "fine", "sides", "consent", "joining", "seen", "series"]
Column = TypeVar("Column", bound="models.Field[Any, Any]")


@dataclass(frozen=True, slots=True)
class HiddenPart:
    """A part of the projector that organizers hide and show during the event.

    `name` is the part in the protocol (`Part`) and `button` its button in the console. `off` and `on` say in
    the audit log what an organizer did, with the placeholder `%(by)s`.
    """

    name: str
    button: str
    off: str
    on: str


@dataclass(frozen=True, slots=True)
class Setting:
    """`section` of the event form. `hides`: the setting hides this part."""

    section: Section
    hides: HiddenPart | None = None


def setting(column: Column, section: Section, hides: HiddenPart | None = None) -> Column:
    """Declare a model field as a setting."""
    vars(column)["setting"] = Setting(section, hides)
    return column


def choices(terms: type[LabeledEnum]) -> "list[tuple[str, StrOrPromise]]":
    """The values with their labels in the active language, for a field."""
    return [(value, gettext_lazy(label)) for value, label in terms.choices()]


def hidden_part(label: "StrOrPromise", *part: str) -> "models.BooleanField[bool, bool]":
    """A switch that hides this HiddenPart: off by default, as for clients that do not know it."""
    return setting(models.BooleanField(label, default=False, db_default=False), "seen", HiddenPart(*part))


def column_of(model: type[models.Model], name: str) -> "models.Field[Any, Any]":
    """The model's own field of this name."""
    return next(column for column in model._meta.concrete_fields if column.name == name)


def list_settings(model: type[models.Model]) -> dict[str, Setting]:
    """The settings of a model by field name, in order of declaration."""
    found = ((field.name, vars(field).get("setting")) for field in model._meta.concrete_fields)
    return {name: declared for name, declared in found if declared}


def list_hidden_parts(model: type[models.Model]) -> dict[str, HiddenPart]:
    """The parts of the projector that settings hide, by the setting's field name."""
    return {name: declared.hides for name, declared in list_settings(model).items() if declared.hides}


def bounds(column: "models.Field[Any, Any]") -> tuple[int | None, int | None]:
    """The smallest and the largest value that a field declares, apart from what databases can store."""
    declared = column.deconstruct()[3].get("validators", ())
    return _limit(declared, MinValueValidator), _limit(declared, MaxValueValidator)


def _limit(validators: Iterable[object], kind: type[BaseValidator]) -> int | None:
    limits = (check.limit_value for check in validators if isinstance(check, kind))
    return next((int(limit) for limit in limits if not callable(limit)), None)

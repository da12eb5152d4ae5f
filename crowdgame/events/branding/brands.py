"""The brand of an event: the colors of its teams, its logo and sponsor line, under the event lock."""

from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from voting.matches import locked_event
from voting.models import Event


@dataclass(frozen=True, slots=True)
class Brand:
    """Empty values stand for the defaults. `logo` is a key (see `EventLogo`)."""

    color_1: str = ""
    color_2: str = ""
    logo: str = ""
    brand_line: str = ""


class BrandChange(NamedTuple):
    before: Brand
    after: Brand


def load_brand(event: Event) -> Brand:
    one, two = event.teams.order_by("number").values_list("color", flat=True)
    return Brand(one, two, logo=event.logo, brand_line=event.brand_line)


def change_brand(event_id: int, brand: Brand) -> BrandChange:
    """Store a brand. If its logo has been deleted meanwhile, the event has none."""
    with locked_event(event_id) as event:
        return _store_brand(event, brand)


def undo_brand_change(event_id: int, change: BrandChange) -> BrandChange | None:
    """Store the brand before the change. None: the brand was changed again since."""
    with locked_event(event_id) as event:
        return _store_brand(event, change.before) if load_brand(event) == change.after else None


def _store_brand(event: Event, brand: Brand) -> BrandChange:
    """Store a brand. Keeps its logo and the one before, and deletes all others."""
    before = load_brand(event)
    if not event.logos.filter(key=brand.logo).exists():
        brand = replace(brand, logo="")
    values = asdict(brand)
    for number in (1, 2):
        event.teams.filter(number=number).update(color=values.pop(f"color_{number}"))
    Event.objects.filter(pk=event.pk).update(**values)
    event.logos.exclude(key__in=[brand.logo, before.logo]).delete()
    return BrandChange(before, brand)


def copy_brand(source: Event, target: Event) -> None:
    for logo in source.logos.filter(key=source.logo):
        target.logos.create(key=logo.key, content=logo.content)
    change_brand(target.pk, load_brand(source))

"""Every setting of an event is declared once, and the protocol agrees with it."""

from typing import get_args

import msgspec
import pytest

from voting.models import Event
from voting.models.settings import column_of, list_hidden_parts, list_settings
from voting.protocol import EventState, Match, Part

SETTINGS = list_settings(Event)
DEFAULTS = [
    pytest.param(field.default, name, id=f"{message.__name__}.{name}")
    for message in (EventState, Match)
    for field in msgspec.structs.fields(message)
    if (name := field.name) in SETTINGS and field.default not in {msgspec.NODEFAULT, None}
]


def test_hidden_parts_are_those_of_the_protocol() -> None:
    assert tuple(part.name for part in list_hidden_parts(Event).values()) == get_args(Part)


@pytest.mark.parametrize(("default", "name"), DEFAULTS)
def test_clients_assume_the_default_of_the_model(default: object, name: str) -> None:
    """Those of older servers. None means that the setting is not known."""
    assert default == column_of(Event, name).get_default()

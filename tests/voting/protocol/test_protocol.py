import re
from functools import cache
from typing import Any, get_args

import msgspec
import msgspec.inspect as shape
import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crowdgame.server.laptop.paths import ROOT
from voting import protocol
from voting.gateway import socket
from voting.models import Event
from voting.models.settings import column_of, list_hidden_parts, list_settings
from voting.protocol import EventState, Match, Part, docstrings, markdown

GUIDE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
# What looks like a message in the guide: a word, a full stop, a word.
MESSAGE_LIKE = re.compile(r"`([a-z_]+\.[a-z_]+)`")
UNIONS = ("PhoneMessage", "DisplayMessage", "ConsoleMessage", "ToPhone", "ToDisplay", "ToConsole")
LONGEST_LIST = 2
SETTINGS = list_settings(Event)
DEFAULTS = [
    pytest.param(field.default, name, id=f"{message.__name__}.{name}")
    for message in (EventState, Match)
    for field in msgspec.structs.fields(message)
    if (name := field.name) in SETTINGS and field.default not in {msgspec.NODEFAULT, None}
]


def test_generated_files_are_up_to_date() -> None:
    call_command("generate_protocol", "--check")


@pytest.mark.parametrize("text", ["Attributes:\nno indentation: x", "Values:\n    no colon"])
def test_docstring_parser_rejects_stray_line(text: str) -> None:
    with pytest.raises(ValueError, match="no field or value"):
        docstrings.parse(f"What it is.\n\n{text}")


def test_renderer_rejects_undocumented_field() -> None:
    class Undocumented(msgspec.Struct):
        """A message.

        Attributes:
            one: Explained.
        """

        one: int
        two: int

    with pytest.raises(LookupError):
        markdown.render_struct(Undocumented)


def test_guide_names_only_known_messages_and_fields_and_the_limits() -> None:
    """`turn.lot` is a field of a part."""
    structs = [*markdown.all_structs(), *get_args(protocol.Changes)]
    messages = {markdown.heading(struct) for struct in structs}
    fields = {field for struct in structs for field in struct.__struct_fields__}
    for name in set(MESSAGE_LIKE.findall(GUIDE)) - messages:
        assert set(name.split(".")) <= fields, name
    assert f"**{protocol.MAX_FRAME_BYTES} bytes**" in GUIDE
    assert f"**{socket.FRAME_BURST} frames at once and {socket.FRAMES_PER_SECOND:g} a second**" in GUIDE
    assert f"**{socket.JOIN_TIMEOUT_S:g} s**" in GUIDE


def strategy_for(kind: shape.Type) -> st.SearchStrategy[Any]:  # noqa: C901, PLR0911, PLR0912  one case for each kind of type
    """A strategy for the valid values of a wire type."""
    match kind:
        case shape.StructType():
            fields = {field.name: strategy_for(field.type) for field in kind.fields}
            return st.builds(kind.cls, **fields)
        case shape.UnionType():
            return st.one_of(*map(strategy_for, kind.types))
        case shape.LiteralType():
            return st.sampled_from(kind.values)
        case shape.EnumType():
            return st.sampled_from(kind.cls)
        case shape.IntType():
            return st.integers(kind.ge, kind.le)
        case shape.FloatType():
            return st.floats(kind.ge or 0, kind.le or 2**53, allow_nan=False)
        case shape.StrType(pattern=str() as pattern):
            return st.from_regex(pattern.replace("$", r"\Z"), fullmatch=True)
        case shape.StrType():
            chars = st.characters(codec="utf-8")
            return st.text(chars, min_size=kind.min_length or 0, max_size=kind.max_length or 40)
        case shape.TupleType():
            return st.tuples(*map(strategy_for, kind.item_types))
        case shape.VarTupleType():
            return st.lists(strategy_for(kind.item_type), max_size=LONGEST_LIST).map(tuple)
        case shape.ListType():
            return st.lists(strategy_for(kind.item_type), max_size=LONGEST_LIST)
        case shape.BoolType():
            return st.booleans()
        case shape.NoneType():
            return st.none()
    raise NotImplementedError(kind)


@cache
def messages(union: str) -> st.SearchStrategy[Any]:
    return strategy_for(shape.type_info(vars(protocol)[union]))


@pytest.mark.parametrize("union", UNIONS)
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_message_round_trips(union: str, data: st.DataObject) -> None:
    message = data.draw(messages(union))
    assert msgspec.json.decode(msgspec.json.encode(message), type=vars(protocol)[union]) == message


def test_hidden_parts_are_those_of_the_protocol() -> None:
    assert tuple(part.name for part in list_hidden_parts(Event).values()) == get_args(Part)


@pytest.mark.parametrize(("default", "name"), DEFAULTS)
def test_clients_assume_the_default_of_the_model(default: object, name: str) -> None:
    """Those of older servers. None means that the setting is not known."""
    assert default == column_of(Event, name).get_default()

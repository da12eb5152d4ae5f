"""The protocol: documented completely; messages round-trip, and other bytes raise a decode error."""

import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import msgspec.inspect as shape
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crowdgame.server.laptop.paths import ROOT
from voting import protocol
from voting.gateway import socket
from voting.protocol import docstrings, markdown, method_constants, typescript

GUIDE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
# What looks like a message in the guide: a word, a full stop, a word.
MESSAGE_LIKE = re.compile(r"`([a-z_]+\.[a-z_]+)`")
UNIONS = ("PhoneMessage", "DisplayMessage", "ConsoleMessage", "ToPhone", "ToDisplay", "ToConsole")
CLIENT_UNIONS = UNIONS[:3]
LONGEST_LIST = 2
briefly = settings(suppress_health_check=[HealthCheck.too_slow])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_reference_is_fresh() -> None:
    reference = (ROOT / "docs" / "generated" / "messages.md").read_text(encoding="utf-8")
    assert markdown.render() == reference, "run `manage.py generate_protocol`"


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


def test_guide_names_only_known_messages_and_fields() -> None:
    """`turn.lot` is a field of a part."""
    structs = [*markdown.all_structs(), *get_args(protocol.Changes)]
    messages = {markdown.heading(struct) for struct in structs}
    fields = {field for struct in structs for field in struct.__struct_fields__}
    for name in set(MESSAGE_LIKE.findall(GUIDE)) - messages:
        assert set(name.split(".")) <= fields, name


def test_guide_states_limits() -> None:
    assert f"**{protocol.MAX_FRAME_BYTES} bytes**" in GUIDE
    assert f"**{socket.FRAME_BURST} frames at once and {socket.FRAMES_PER_SECOND:g} a second**" in GUIDE
    assert f"**{socket.JOIN_TIMEOUT_S:g} s**" in GUIDE


SOURCES = Path(__file__).parents[3] / "frontend" / "src"


def test_generated_typescript_is_up_to_date() -> None:
    assert (SOURCES / "protocol.ts").read_text(encoding="utf-8") == typescript.render()
    assert (SOURCES / "methods.ts").read_text(encoding="utf-8") == method_constants.render()
    captions = (SOURCES / "methodCaptions.ts").read_text(encoding="utf-8")
    assert captions == method_constants.render_captions()


def decoder(union: str) -> Any:
    return msgspec.json.Decoder(vars(protocol)[union]).decode


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
@briefly
@given(data=st.data())
def test_every_message_round_trips(union: str, data: st.DataObject) -> None:
    message = data.draw(messages(union))
    assert decoder(union)(msgspec.json.encode(message)) == message


@pytest.mark.parametrize("union", CLIENT_UNIONS)
@given(
    frame=st.binary()
    | st.text().map(str.encode)
    | JSON.map(lambda value: repr(value).encode("utf-8", "replace"))
)
def test_decoder_accepts_any_bytes_or_raises_decode_error(union: str, frame: bytes) -> None:
    try:
        decoder(union)(frame)
    except msgspec.DecodeError:
        return


@pytest.mark.parametrize("union", CLIENT_UNIONS)
@briefly
@given(data=st.data(), replacement=JSON)
def test_decoder_handles_message_with_replaced_field(
    union: str, data: st.DataObject, replacement: Any
) -> None:
    fields = msgspec.to_builtins(data.draw(messages(union)))
    name = data.draw(st.sampled_from([*fields]))
    try:
        decoded = decoder(union)(msgspec.json.encode(fields | {name: replacement}))
    except (msgspec.DecodeError, OverflowError):
        return
    assert decoder(union)(msgspec.json.encode(decoded)) == decoded

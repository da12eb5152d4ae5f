"""docs/generated/messages.md documents the whole protocol; docs/protocol.md agrees with it."""

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from games.engine import game
from games.solver import judgment
from voting import protocol, terms
from voting.counting.methods import Deciding, TallyMethod
from voting.gateway import socket
from voting.protocol import docstrings, markdown
from voting.protocol.typescript import value_names, values_of

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = (DOCS / "protocol.md").read_text(encoding="utf-8")
REFERENCE = (DOCS / "generated" / "messages.md").read_text(encoding="utf-8")
CHANGE_TYPES = get_args(protocol.Changes)
CLIENT = {
    *get_args(protocol.PhoneMessage),
    *get_args(protocol.DisplayMessage),
    *get_args(protocol.ConsoleMessage),
    *get_args(protocol.ChatMessage),
}
SERVER = {
    *get_args(protocol.ToPhone),
    *get_args(protocol.ToDisplay),
    *get_args(protocol.ToConsole),
    *get_args(protocol.ToChat),
}
LITERALS = (
    protocol.Refusal, protocol.SideRefusal, protocol.ErrorCode, Deciding,
    protocol.DuelAction, protocol.DuelRefusal, terms.OfferKind,
    protocol.DropAnswer, protocol.Part, protocol.Role, terms.Ending, terms.EndReason, terms.Admission,
    terms.Nicknames, TallyMethod, terms.TieRule, terms.NoBallotRule, terms.ResignShare, terms.Pace,
    terms.SpecialRule, game.Side, game.Result, game.Vote, judgment.Quality,
)  # fmt: skip
# What looks like a message in the guide: a word, a full stop, a word.
MESSAGE_LIKE = re.compile(r"`([a-z_]+\.[a-z_]+)`")


def structs_in(*messages: Any) -> set[Any]:
    """These structs and all that they contain."""
    found: set[Any] = set()

    def walk(node: Any) -> None:
        if isinstance(node, msgspec.inspect.StructType) and node.cls not in found:
            found.add(node.cls)
            for field in node.fields:
                walk(field.type)
        for attribute in ("item_type", "item_types", "types"):
            inner = getattr(node, attribute, ())
            for child in inner if isinstance(inner, tuple) else (inner,):
                walk(child)

    for info in msgspec.inspect.multi_type_info(messages):
        walk(info)
    return found


PARTS = structs_in(*CLIENT, *SERVER, protocol.PagePreload) - CLIENT - SERVER


def name_of(struct: Any) -> str:
    return str(struct.__struct_config__.tag or struct.__name__)


def section(heading: str) -> str:
    return REFERENCE.split(f"### `{heading}`\n", 1)[1].split("\n#", 1)[0]


def first_cells(text: str) -> list[str]:
    """First cells of all rows of tables whose first cell is code."""
    return re.findall(r"^\| `([\w.]+)` \|", text, re.MULTILINE)


def test_reference_is_fresh() -> None:
    assert markdown.render() == REFERENCE, "run `manage.py generate_protocol`"


@pytest.mark.parametrize(
    "struct", sorted((CLIENT | SERVER | PARTS) - set(CHANGE_TYPES), key=name_of), ids=name_of
)
def test_reference_documents_fields_of_every_message(struct: Any) -> None:
    assert first_cells(section(name_of(struct))) == list(struct.__struct_fields__)


def test_reference_documents_every_change() -> None:
    rows = first_cells(section("Change"))
    fields = list(protocol.Change.__struct_fields__)
    assert rows == fields + [name_of(change) for change in CHANGE_TYPES]


def test_reference_documents_nothing_else() -> None:
    known = {name_of(struct) for struct in CLIENT | SERVER | PARTS} - {name_of(c) for c in CHANGE_TYPES}
    literals = {value_names()[frozenset(values_of(kind))] for kind in LITERALS}
    found = re.findall(r"^### `([\w.]+)`$", REFERENCE, re.MULTILINE)
    assert sorted(found) == sorted(known | literals | {"Change"})


@pytest.mark.parametrize("literal", LITERALS, ids=lambda kind: value_names()[frozenset(values_of(kind))])
def test_reference_documents_every_literal_value(literal: Any) -> None:
    name = value_names()[frozenset(values_of(literal))]
    assert first_cells(section(name)) == list(values_of(literal))


def test_reference_documents_every_close_code() -> None:
    documented = dict(re.findall(r"^\| (\d{4}) \| (\w+) \| \S", REFERENCE, re.MULTILINE))
    codes = {str(code): name for name, code in vars(protocol.CloseCode).items() if name.isupper()}
    assert documented == codes


def test_reference_has_no_empty_cell() -> None:
    assert "|  |" not in REFERENCE


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
    messages = {name_of(struct) for struct in CLIENT | SERVER}
    fields = {field for struct in CLIENT | SERVER | PARTS for field in struct.__struct_fields__}
    for name in set(MESSAGE_LIKE.findall(GUIDE)) - messages:
        assert set(name.split(".")) <= fields, name


def test_guide_states_limits() -> None:
    assert f"**{protocol.MAX_FRAME_BYTES} bytes**" in GUIDE
    assert f"**{socket.FRAME_BURST} frames at once and {socket.FRAMES_PER_SECOND:g} a second**" in GUIDE
    assert f"**{socket.JOIN_TIMEOUT_S:g} s**" in GUIDE

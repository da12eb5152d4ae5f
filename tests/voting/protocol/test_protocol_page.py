"""docs/protocol.md documents exactly the messages, fields, codes and limits of voting/protocol."""

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from games.engine import game
from voting import protocol
from voting.gateway import socket

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text()
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
PARTS = {
    protocol.EventState, protocol.Team, protocol.Match, protocol.Turn, protocol.Legal, protocol.Reveal,
    protocol.Clocks, protocol.Rated, protocol.Concealed, protocol.SideTally, protocol.Commitment,
    protocol.Finished, protocol.You, protocol.AuditEntry, protocol.Pressed, protocol.PagePreload,
    protocol.Person, protocol.ChatLine, protocol.AcceptedSideChange,
    protocol.SidesSummary, protocol.SidesTurn,
    game.Board, game.Drawing, game.Mark, game.Resolution, game.Drop,
}  # fmt: skip


def name_of(struct: Any) -> str:
    return str(struct.__struct_config__.tag or struct.__name__)


DOCUMENTED = sorted((CLIENT | SERVER | PARTS) - set(CHANGE_TYPES), key=name_of)


def documented_fields(heading: str) -> list[str]:
    """The fields in the first table under a heading."""
    section = PAGE.split(f"### `{heading}`\n", 1)[1].split("\n#", 1)[0]
    table = section.split("| field | type | meaning |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def documented_codes(*values: object) -> set[str]:
    return {str(value) for value in values if f"| `{value}` |" in PAGE or f"`{value}`" in PAGE}


@pytest.mark.parametrize(
    "struct", sorted((CLIENT | SERVER | PARTS) - set(CHANGE_TYPES), key=name_of), ids=name_of
)
def test_page_documents_fields_of_every_message(struct: Any) -> None:
    assert documented_fields(name_of(struct)) == list(struct.__struct_fields__)


def test_page_documents_every_change() -> None:
    section = PAGE.split("## From the server: changes", 1)[1].split("\n## ", 1)[0]
    assert set(re.findall(r"^\| `(\w+\.\w+)` \|", section, re.MULTILINE)) == {
        name_of(c) for c in CHANGE_TYPES
    }
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)[:3] == list(protocol.Change.__struct_fields__)


def test_page_documents_no_unknown_message() -> None:
    known = {name_of(struct) for struct in CLIENT | SERVER | PARTS}
    assert set(re.findall(r"^### `([\w.]+)`$", PAGE, re.MULTILINE)) <= known


def test_parts_list_covers_every_struct_on_the_wire() -> None:
    reached = {part.__name__ for part in PARTS} | {"TurnSealed"}
    wire = msgspec.inspect.multi_type_info(
        [
            protocol.EventState,
            protocol.You,
            protocol.TurnSealed,
            protocol.AuditEntry,
            protocol.PagePreload,
            protocol.Person,
            protocol.ChatLine,
        ]
    )
    found: set[str] = set()

    def walk(node: Any) -> None:
        if isinstance(node, msgspec.inspect.StructType):
            found.add(node.cls.__name__)
            for field in node.fields:
                walk(field.type)
        for attribute in ("item_type", "item_types", "types"):
            inner = getattr(node, attribute, ())
            for child in inner if isinstance(inner, tuple) else (inner,):
                walk(child)

    for info in wire:
        walk(info)
    assert found == reached


@pytest.mark.parametrize(
    "literal",
    [protocol.Action, protocol.Refusal, protocol.ErrorCode, protocol.Deciding, protocol.Part, protocol.Role],
)
def test_page_documents_every_literal_value(literal: Any) -> None:
    assert documented_codes(*get_args(literal)) == set(get_args(literal))


def test_page_documents_every_close_code() -> None:
    documented = dict(re.findall(r"^\| (\d{4}) \| (\w+) \|", PAGE, re.MULTILINE))
    codes = {str(code): name for name, code in vars(protocol.CloseCode).items() if name.isupper()}
    assert documented == codes


def test_page_documents_limits() -> None:
    assert f"**{protocol.MAX_FRAME_BYTES} bytes**" in PAGE
    assert f"**{socket.FRAME_BURST} frames at once and {socket.FRAMES_PER_SECOND:g} a second**" in PAGE
    assert f"**{socket.JOIN_TIMEOUT_S:g} s**" in PAGE

"""Generator of the client's types in TypeScript.

`render` turns `voting.protocol` into the text of `frontend/src/protocol.ts`.
"""

from enum import EnumType
from typing import Any, get_args

import msgspec.inspect as shape

from games.engine import game
from voting import protocol, terms
from voting.counting import methods
from voting.protocol.docstrings import documented_values

HEADER = """\
// Generated from voting/protocol/ by `manage.py generate_protocol`. Edits here are lost.
"""
UNIONS = (
    "PhoneMessage",
    "DisplayMessage",
    "ConsoleMessage",
    "ChatMessage",
    "Changes",
    "Always",
    "ToPhone",
    "ToDisplay",
    "ToConsole",
    "ToChat",
)
STANDALONE = ("PagePreload",)
NAMED = {
    name: kind
    for module in (game, methods, terms, protocol)
    for name, kind in vars(module).items()
    if name in documented_values()
}
CLIENT = frozenset(
    get_args(protocol.PhoneMessage | protocol.DisplayMessage | protocol.ConsoleMessage | protocol.ChatMessage)
)
PRIMITIVES: dict[type[shape.Type], str] = {
    shape.IntType: "number",
    shape.FloatType: "number",
    shape.StrType: "string",
    shape.BoolType: "boolean",
    shape.NoneType: "null",
}


def render() -> str:
    """Return the whole module: literals, structs, unions, constants. Deterministic."""
    structs = [
        render_struct(found)
        for found in collect_structs(vars(protocol)[name] for name in UNIONS + STANDALONE)
    ]
    members = {name: [one.__name__ for one in get_args(vars(protocol)[name])] for name in UNIONS}
    unions = [f"export type {name} = {' | '.join(named)};" for name, named in members.items()]
    literals = [f"export type {name} = {join_literals(values_of(kind))};" for name, kind in NAMED.items()]
    parts = [HEADER.rstrip(), "\n".join(literals), *structs, "\n".join(unions), render_constants()]
    return "\n\n".join(parts) + "\n"


def values_of(kind: Any) -> tuple[Any, ...]:
    """Return the values of a `Literal` or an enum."""
    return tuple(kind) if isinstance(kind, EnumType) else get_args(kind)


def value_names() -> dict[frozenset[Any], str]:
    """Return the names of the documented `Literal` types and enums by their values.

    A field with the same values is rendered as that name.
    """
    return {frozenset(values_of(kind)): name for name, kind in NAMED.items()}


def wire_values(kind: shape.Type) -> tuple[Any, ...]:
    """Return the values of a field with a fixed set of them; empty for any other field."""
    if isinstance(kind, shape.EnumType):
        return tuple(kind.cls)
    return tuple(kind.values) if isinstance(kind, shape.LiteralType) else ()


def join_literals(values: tuple[Any, ...]) -> str:
    return " | ".join(f'"{value}"' for value in values)


def collect_structs(roots: Any) -> list[shape.StructType]:
    """Return every struct reachable from the roots once, parts before the structs that contain them."""
    found: dict[type, shape.StructType] = {}
    for root in roots:
        collect(shape.type_info(root), found)
    return list(found.values())


def collect(kind: Any, found: dict[type, shape.StructType]) -> None:
    if isinstance(kind, shape.StructType):
        if kind.cls in found:
            return
        for field in kind.fields:
            collect(field.type, found)
        found[kind.cls] = kind
    for part in member_types(kind):
        collect(part, found)


def member_types(kind: Any) -> tuple[shape.Type, ...]:
    if isinstance(kind, shape.UnionType):
        return kind.types
    if isinstance(kind, shape.TupleType):
        return kind.item_types
    return (kind.item_type,) if isinstance(kind, shape.VarTupleType) else ()


def render_struct(struct: shape.StructType) -> str:
    """Render an interface. The server sends every field; a client may omit fields with a default."""
    lines = [f'  type: "{struct.tag}";'] if struct.tag else []
    for field in struct.fields:
        mark = "?" if struct.cls in CLIENT and not field.required else ""
        lines.append(f"  {field.encode_name}{mark}: {render_type(field.type)};")
    return "\n".join([f"export interface {struct.cls.__name__} {{", *lines, "}"])


def render_type(kind: shape.Type) -> str:
    if isinstance(kind, shape.StructType):
        return kind.cls.__name__
    if values := wire_values(kind):
        return value_names().get(frozenset(values)) or join_literals(values)
    if isinstance(kind, shape.UnionType):
        return " | ".join(render_type(part) for part in kind.types)
    if isinstance(kind, shape.TupleType):
        return f"readonly [{', '.join(render_type(part) for part in kind.item_types)}]"
    if isinstance(kind, shape.VarTupleType):
        return f"ReadonlyArray<{render_type(kind.item_type)}>"
    return PRIMITIVES[type(kind)]


def render_constants() -> str:
    codes = {name: code for name, code in vars(protocol.CloseCode).items() if name.isupper()}
    lines = [f"export const MAX_FRAME_BYTES = {protocol.MAX_FRAME_BYTES};"]
    lines += ["export const CloseCode = {", *(f"  {name}: {code}," for name, code in codes.items())]
    return "\n".join([*lines, "} as const;"])

"""Generator of the message reference in Markdown.

`render` turns the types and docstrings of `voting.protocol` into the text of `docs/generated/messages.md`.
"""

from collections.abc import Iterable, Iterator
from typing import Any, cast, get_args

import msgspec.inspect as shape

from voting import protocol
from voting.protocol.docstrings import Documented, documented_class, documented_values
from voting.protocol.typescript import (
    CLIENT,
    NAMED,
    UNIONS,
    collect_structs,
    member_types,
    value_names,
    values_of,
    wire_values,
)

HEADER = """\
# Messages

<!-- Generated from voting/protocol/ by `manage.py generate_protocol`. Edits here are lost. -->

Every message of the [wire protocol](../protocol.md). A *timestamp* is whole milliseconds since 1970 by the
server's clock. *Optional* fields may be omitted; the server sends every field.
"""
TO_CLIENTS = ("phones", "displays", "consoles", "chat pages")
RECEIVERS = dict(
    zip(TO_CLIENTS, (protocol.ToPhone, protocol.ToDisplay, protocol.ToConsole, protocol.ToChat), strict=True)
)
SENDERS = {
    "a phone": protocol.PhoneMessage,
    "a display": protocol.DisplayMessage,
    "a console": protocol.ConsoleMessage,
    "a chat page": protocol.ChatMessage,
}
WELCOMES = (protocol.PhoneWelcomed, protocol.DisplayWelcomed, protocol.ConsoleWelcomed)
MAX_SAFE, MAX_INT32 = 2**53 - 1, 2**31 - 1
SHOWN_NUMBERS = {MAX_INT32: "2^31 - 1"}


def render() -> str:
    """Return the whole page. Deterministic. Raises LookupError if a field or value has no meaning."""
    blocks = [HEADER.rstrip()]
    for title, structs in sections():
        blocks.append(f"## {title}")
        blocks += map(render_struct, structs)
        if title == "Changes":
            blocks.append(render_changes())
    blocks += ["## Values", *map(render_values, used_values())]
    blocks += ["## Close codes", render_close_codes()]
    return "\n\n".join(blocks) + "\n"


def sections() -> Iterator[tuple[str, list[Any]]]:
    """Yield each title with its structs. Every struct on the wire appears once.

    The single changes are left out, because they share the fields of `Change`.
    """
    seen: set[Any] = set(get_args(protocol.Changes))

    def new(structs: Iterable[Any]) -> list[Any]:
        found = [struct for struct in dict.fromkeys(structs) if struct not in seen]
        seen.update(found)
        return found

    for who, messages in SENDERS.items():
        yield f"From {who}", new(get_args(messages))
    yield "Snapshots", new(WELCOMES)
    yield "Changes", [protocol.Change]
    yield "Other messages from the server", new(m for union in RECEIVERS.values() for m in get_args(union))
    yield "Parts of messages", new(reversed(all_structs()))


def all_structs() -> list[Any]:
    """Return every struct that a message or a page contains."""
    roots = [*(vars(protocol)[name] for name in UNIONS), protocol.PagePreload]
    return [found.cls for found in collect_structs(roots)]


def heading(struct: Any) -> str:
    return str(struct.__struct_config__.tag or struct.__name__)


def fields_of(struct: Any) -> tuple[shape.Field, ...]:
    return cast(shape.StructType, shape.type_info(struct)).fields


def render_struct(struct: Any) -> str:
    documented = documented_class(struct)
    fields = fields_of(struct)
    check_names(heading(struct), documented, [field.encode_name for field in fields])
    lines = [f"### `{heading(struct)}`", "", join_lines(documented.description)]
    if receivers := receivers_of(struct):
        lines += ["", f"Sent to {receivers}."]
    if not fields:
        return "\n".join([*lines, "", "No fields."])
    lines += ["", "| field | type | meaning |", "| --- | --- | --- |"]
    for field in fields:
        optional = ", optional" if struct in CLIENT and not field.required else ""
        name = field.encode_name
        kind = render_type(field.type, is_time=name == "at" or name.endswith("_at")) + optional
        lines.append(f"| `{name}` | {kind} | {documented.meanings[name]} |")
    return "\n".join(lines)


def receivers_of(struct: Any) -> str:
    """Return which sockets receive a server message; empty for everything else."""
    found = [who for who, union in RECEIVERS.items() if struct in get_args(union)]
    return ", ".join(found)


def render_changes() -> str:
    rows = (
        f"| `{heading(change)}` | {join_lines(documented_class(change).description)} |"
        for change in get_args(protocol.Changes)
    )
    return "\n".join(["| type | meaning |", "| --- | --- |", *rows])


def used_values() -> list[str]:
    """Return the sorted names of the `Literal` types and enums used by fields on the wire."""
    kinds = [field.type for struct in all_structs() for field in fields_of(struct)]
    return sorted({name for kind in kinds for name in names_in(kind)})


def names_in(kind: shape.Type) -> Iterator[str]:
    if name := value_names().get(frozenset(wire_values(kind))):
        yield name
    for part in member_types(kind):
        yield from names_in(part)


def render_values(name: str) -> str:
    documented = documented_values()[name]
    check_names(name, documented, values_of(NAMED[name]))
    lines = [f"### `{name}`", "", join_lines(documented.description), ""]
    lines += ["| value | meaning |", "| --- | --- |"]
    lines += [f"| `{value}` | {meaning} |" for value, meaning in documented.meanings.items()]
    return "\n".join(lines)


def render_close_codes() -> str:
    documented = documented_class(protocol.CloseCode)
    codes = {name: code for name, code in vars(protocol.CloseCode).items() if name.isupper()}
    check_names("CloseCode", documented, list(codes))
    lines = [join_lines(documented.description), "", "| code | name | meaning |", "| --- | --- | --- |"]
    return "\n".join(
        [*lines, *(f"| {code} | {name} | {documented.meanings[name]} |" for name, code in codes.items())]
    )


def check_names(what: str, documented: Documented, names: Iterable[str]) -> None:
    """Raise LookupError unless exactly these names are documented, in this order."""
    if list(documented.meanings) != list(names):
        raise LookupError(f"the docstring of {what} explains {list(documented.meanings)}, not {list(names)}")


def join_lines(text: str) -> str:
    """Join the lines of each paragraph, as a table cell needs it."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def render_type(kind: shape.Type, *, is_time: bool = False) -> str:
    parts = [render_type(part, is_time=is_time) for part in member_types(kind)]
    if isinstance(kind, shape.VarTupleType):
        return f"list of {f'up to {kind.max_length} ' if kind.max_length else ''}{parts[0]}"
    if parts:
        return " or ".join(parts) if isinstance(kind, shape.UnionType) else f"[{', '.join(parts)}]"
    if isinstance(kind, shape.StructType):
        return link(kind.cls.__name__)
    if values := wire_values(kind):
        name = value_names().get(frozenset(values))
        return link(name) if name else " or ".join(f"`{value}`" for value in values)
    if isinstance(kind, shape.IntType) and is_time:
        return "timestamp"
    return render_plain(kind)


def render_plain(kind: shape.Type) -> str:
    if isinstance(kind, shape.IntType):
        return f"integer{render_range(kind.ge, kind.le)}"
    return render_text(kind) if isinstance(kind, shape.StrType) else NAMES[type(kind)]


NAMES: dict[type[shape.Type], str] = {
    shape.FloatType: "number",
    shape.BoolType: "boolean",
    shape.NoneType: "null",
}


def render_range(least: Any, most: Any) -> str:
    if least is None:
        return ""
    if most in (None, MAX_SAFE):
        return f" from {least}"
    return f", {least} to {SHOWN_NUMBERS.get(most, most)}"


def render_text(kind: shape.StrType) -> str:
    if kind.pattern:
        return f"{kind.max_length} hex digits"
    return f"text, up to {kind.max_length} characters" if kind.max_length else "text"


def link(name: str) -> str:
    return f"[`{name}`](#{name.lower()})"

"""Parser for the docstrings of wire types: a description, and a meaning for each field or value.

A struct's docstring ends with `Attributes:`, that of an enum or a `Literal` with `Values:`. Indented lines of
the form `name: meaning` follow. The docstring of a `Literal` stands below its assignment.
"""

import ast
import inspect
import re
from enum import EnumType
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

from games.engine import game
from games.solver import judgment
from voting import terms
from voting.counting import types
from voting.counting.methods.voting_method import METHODS
from voting.protocol import client, phone_answers, server, snapshot, state

ENTRY = re.compile(r"    (?P<name>[\w.]+): (?P<meaning>.+)")
MODULES = (game, judgment, terms, types, client, phone_answers, server, snapshot, state)


class Documented(NamedTuple):
    """A parsed docstring: `meanings` maps field names or values to their meaning."""

    description: str
    meanings: dict[str, str]


def documented_class(cls: type) -> Documented:
    """Parse the docstring of a class."""
    return parse(inspect.getdoc(cls) or "")


@cache
def documented_values() -> dict[str, Documented]:
    """Return the documented enums and `Literal` types by name. The voting methods document their own."""
    found = {name: values for module in MODULES for name, values in (*_literals(module), *_enums(module))}
    rules = found.pop("RuleDecision")
    methods = {name: method.meaning for name, method in METHODS.items()}
    decisions = {method.decided_by: method.decision for method in METHODS.values()}
    return found | {
        "TallyMethod": Documented("How a side's ballots become its pick.", methods),
        "Deciding": Documented("How a side's pick came about.", decisions | rules.meanings),
    }


def parse(docstring: str) -> Documented:
    """Parse a docstring. Raises ValueError for a line that belongs to no entry."""
    description, _, listed = re.sub(r"\n(Attributes|Values):\n", "\0", docstring).partition("\0")
    meanings: dict[str, str] = {}
    for line in filter(str.strip, listed.split("\n")):
        if entry := ENTRY.fullmatch(line):
            name = entry["name"]
            meanings[name] = entry["meaning"]
        elif line.startswith(" " * 8) and meanings:
            meanings[name] += f" {line.strip()}"
        else:
            raise ValueError(f"no field or value: {line!r}")
    return Documented(description.strip(), meanings)


def _enums(module: ModuleType) -> list[tuple[str, Documented]]:
    enums = [kind for kind in vars(module).values() if isinstance(kind, EnumType)]
    return [(kind.__name__, documented) for kind in enums if (documented := documented_class(kind)).meanings]


def _literals(module: ModuleType) -> list[tuple[str, Documented]]:
    body = ast.parse(inspect.getsource(module)).body
    return [
        (node.targets[0].id, parse(inspect.cleandoc(text.value.value)))
        for node, text in pairwise(body)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    ]

"""Read what mutmut found in its folder `mutants`, and describe each mutant by the change it makes."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path

# Mutmut's exit codes of a failed test and of a timeout. Not 255: pytest did not find a test of the mutant.
KILLED = {1, 3, 24, 36, 152, -24}
CONTEXT_CHARS = 40
METHOD_SEPARATOR = "ǁ"


@dataclass(frozen=True)
class Mutant:
    """`name` is mutmut's, which `mutmut show` accepts. The number in it changes with the code around it."""

    name: str
    path: Path
    is_killed: bool

    @property
    def package(self) -> str:
        return ".".join(self.name.split(".")[:2])

    def description(self) -> str:
        """The function and its change, like `voting.names.clean_name: return «name → None»`."""
        module, _, generated = self.name.rpartition(".")
        function = generated.rpartition("__mutmut_")[0]
        functions = _functions(self.path)
        change = describe_change(functions[f"{function}__mutmut_orig"], functions[generated])
        plain = function.removeprefix("x").removeprefix("_").strip(METHOD_SEPARATOR)
        return f"{module}.{plain.replace(METHOD_SEPARATOR, '.')}: {change}"


def read_mutants(folder: Path) -> Iterator[Mutant]:
    """All mutants that were tried in `folder`."""
    for meta in sorted((folder / "mutants").rglob("*.py.meta")):
        for name, code in json.loads(meta.read_text())["exit_code_by_key"].items():
            if code is not None:
                yield Mutant(name, meta.with_suffix(""), code in KILLED)


@cache
def _functions(path: Path) -> dict[str, str]:
    """The source of each function in a file, without its name and docstring, formatted by `ast`."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, FUNCTIONS)]
    return {node.name: _source(node) for node in nodes}


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _source(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    defaults = [ast.unparse(one) for one in (*node.args.defaults, *node.args.kw_defaults) if one]
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return "\n".join([", ".join(defaults), *map(ast.unparse, body)])


def describe_change(before: str, after: str) -> str:
    """The change between two texts in guillemets, with CONTEXT_CHARS of the code on either side."""
    start = _common_prefix(before, after)
    end = _common_prefix(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    head, tail = before[:start][-CONTEXT_CHARS:], before[len(before) - end :][:CONTEXT_CHARS]
    return re.sub(r"\s+", " ", f"{head}«{old} → {new}»{tail}").strip()


def _common_prefix(one: str, other: str) -> int:
    """The length of the common start, up to the beginning of a word."""
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    while length and one[length - 1].isalnum():
        length -= 1
    return length

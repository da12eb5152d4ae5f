"""`make mutants`: change the pure core and use cases in thousands of ways, and count what fails a test.

`[tool.mutmut]` in pyproject.toml lists the modules and the tests. Fails if the mutation score of the pure
core is below MIN_SCORE or that of USE_CASES below MIN_USE_CASE_SCORE, or if a mutant of the pure core
survives that `survivors.toml` does not list with a reason. With patterns of mutant names as arguments, only
these are tried.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from crowdgame.server.laptop.paths import DATA, ROOT, display_path
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.run_folder import VARIABLE

# Mutmut's exit codes of a failed test and of a timeout. Not 255: pytest did not find a test of the mutant.
KILLED = {1, 3, 24, 36, 152, -24}
CONTEXT_CHARS = 40
METHOD_SEPARATOR = "ǁ"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MIN_SCORE = 0.9
MIN_USE_CASE_SCORE = 0.7  # lower: texts of logs and errors, and queries that only cost time
FOLDER = DATA / "mutants"
LISTED = Path(__file__).with_name("survivors.toml")
# Modules that need the database.
USE_CASES = (
    *("voting.admission.tickets.*", "voting.announcements.outbox.*"),
    *("voting.turns.outages.*", "voting.turns.turns.*", "voting.turns.voiding.*"),
    *("crowdgame.accounts.*", "crowdgame.events.*", "crowdgame.play.*"),
    *("crowdgame.results.analysis.*", "crowdgame.organizer.console.*", "crowdgame.server.serving.*"),
)
# One process each, with a Valkey and a database of its own.
PARTS = (("games.*",), ("voting.*", "crowdgame.*"))
COPIED = (
    *("games", "voting", "crowdgame", "deploy", "docs", "frontend", "locale", "tests"),
    *("manage.py", "pyproject.toml"),
)
INTERRUPTED = 130


class Mutant(NamedTuple):
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
    for meta in sorted((folder / "mutants").rglob("*.py.meta")):
        for name, code in json.loads(meta.read_text())["exit_code_by_key"].items():
            if code is not None:
                yield Mutant(name, meta.with_suffix(""), code in KILLED)


@cache
def _functions(path: Path) -> dict[str, str]:
    """The source of each function in a file, without its name and docstring, formatted by `ast`."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, FUNCTIONS)]
    return {node.name: _source(node) for node in nodes}


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


def main(patterns: Sequence[str]) -> int:
    interrupt_on_signals()
    shutil.rmtree(FOLDER, ignore_errors=True)
    print(f"Logs: {display_path(FOLDER)}/*/mutmut.log", flush=True)
    began = time.monotonic()
    folders = _run_parts([tuple(patterns)] if patterns else PARTS)
    mutants = [mutant for folder in folders for mutant in read_mutants(folder)]
    core, use_cases = list[Mutant](), list[Mutant]()
    for mutant in mutants:
        is_use_case = any(fnmatch(mutant.name, pattern) for pattern in USE_CASES)
        (use_cases if is_use_case else core).append(mutant)
    are_high = [_print_score(core, MIN_SCORE), _print_score(use_cases, MIN_USE_CASE_SCORE)]
    print(f"in {(time.monotonic() - began) / 60:.0f} minutes")
    _print_survivors("Survivors in use cases. Does one matter? Then write a test:", use_cases, set())
    title = f"Survivors that are not in {display_path(LISTED)}. Write a test or list them:"
    groups = tomllib.loads(LISTED.read_text())["survivors"]
    unlisted = _print_survivors(title, core, {mutant for group in groups for mutant in group["mutants"]})
    return 0 if all(are_high) and not unlisted else 1


def _run_parts(parts: Iterable[Sequence[str]]) -> list[Path]:
    """Run mutmut for each part at the same time. Raises CalledProcessError if mutmut itself fails."""
    running = {}
    try:
        for number, patterns in enumerate(parts, 1):
            folder = FOLDER / str(number)
            (folder / "data").mkdir(parents=True)
            for name in COPIED:  # links keep mutmut's copy, `mutants`, out of the source tree
                (folder / name).symlink_to(ROOT / name)
            argv = [sys.executable, "-m", "tests.mutants.decorated", "run", "--max-children", "1", *patterns]
            env = os.environ | {VARIABLE: str(folder / "data")}
            with (folder / "mutmut.log").open("wb") as log:
                running[folder] = subprocess.Popen(argv, cwd=folder, env=env, stdout=log, stderr=log)
        for process in running.values():
            if process.wait():
                raise subprocess.CalledProcessError(process.returncode, "mutmut")
    finally:
        for process in running.values():
            process.terminate()
    return list(running)


def _print_score(mutants: Sequence[Mutant], at_least: float) -> bool:
    """Print the mutation score of each package and of all. Returns whether the latter is high enough."""
    tried, killed = Counter[str](), Counter[str]()
    for mutant in mutants:
        for name in (mutant.package, "all"):
            tried[name] += 1
            killed[name] += mutant.is_killed
    print(f"\n{'package':24} {'mutants':>8} {'killed':>8} {'survived':>8} {'score':>8}")
    for name in sorted(tried, key=lambda name: (name == "all", name)):
        survived, score = tried[name] - killed[name], killed[name] / tried[name]
        print(f"{name:24} {tried[name]:8} {killed[name]:8} {survived:8} {score:8.1%}")
    return killed["all"] >= at_least * tried["all"]


def _print_survivors(title: str, mutants: Sequence[Mutant], listed: set[str]) -> int:
    """Print the survivors that are not listed and return their number."""
    survivors = [mutant for mutant in mutants if not mutant.is_killed]
    unlisted = [text for text in (mutant.description() for mutant in survivors) if text not in listed]
    if unlisted:
        print(f"\n{title}")
    for text in unlisted:
        print(f"    {text!r}")
    return len(unlisted)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except subprocess.CalledProcessError as failure:
        sys.exit(f"{failure} See {display_path(FOLDER)}/*/mutmut.log")

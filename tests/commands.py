"""Many of `manage.py`'s commands, each in a process of its own that has not to load Django first.

`python -m tests.commands` loads it once, with a stack's environment, and forks for each command it is asked.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.laptop.paths import ROOT
from deploy.laptop.stack import Stack

STREAMS = ("in", "out", "err")


@dataclass(frozen=True)
class Commands:
    """`folder` is where the last command's input and output are."""

    process: subprocess.Popen[str]
    folder: Path

    def run(self, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        streams = [self.folder / name for name in STREAMS]
        for stream, text in zip(streams, (typed, "", ""), strict=True):
            stream.write_text(text)
        self.process.stdin.write(json.dumps([*map(str, streams), *words]) + "\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        return subprocess.CompletedProcess(words, code, *(stream.read_text() for stream in streams[1:]))


@contextmanager
def commands(stack: Stack, folder: Path) -> Iterator[Commands]:
    argv, env = [sys.executable, "-m", "tests.commands"], {**os.environ, **stack.env}
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=ROOT, env=env, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Commands(process, folder)
        finally:
            process.terminate()


def _forked(streams: list[str], words: list[str]) -> int:
    """The exit status."""
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    for number, path in enumerate(streams):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    execute_from_command_line(["manage.py", *words])
    sys.exit()


if __name__ == "__main__":
    import django
    from django.core.checks import run_checks
    from django.core.management import execute_from_command_line

    django.setup()
    run_checks()  # most commands begin with it, and it loads the rest
    for line in sys.stdin:
        asked = json.loads(line)
        print(_forked(asked[: len(STREAMS)], asked[len(STREAMS) :]), flush=True)

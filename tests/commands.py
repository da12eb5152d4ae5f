"""Run `manage.py` commands in separate processes without loading Django each time.

`python -m tests.commands` loads Django once, with a stack's environment, and forks for each command.
"""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import Stack

STREAMS = ("in", "out", "err")


@dataclass(frozen=True)
class Commands:
    """`folder` holds the input and output of the last command."""

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
    run_checks()  # most commands start with it, and it imports the rest
    gc.freeze()  # or each fork would look for garbage in all of it at exit
    for line in sys.stdin:
        request = json.loads(line)
        print(_forked(request[: len(STREAMS)], request[len(STREAMS) :]), flush=True)

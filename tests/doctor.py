"""Run `manage.py doctor` in the environment of a stack."""

import os
import subprocess
from collections.abc import Sequence

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE, Stack

# What the settings of the tests leave out.
GOOD = {"SECRET_KEY": "a-long-and-random-key-" * 3, "EVENT_PHONES": "100"}
# They depend on the machine that runs the tests. Most stacks of tests have no static files.
MACHINE = ("✗ kernel", "✗ disk", "✗ nginx", "✗ static files")


def run_doctor(stack: Stack, *arguments: str, inside: Sequence[str] = (), **environment: str) -> str:
    """Return the findings, as a command `inside` another. The exit status tells whether any is wrong."""
    env = {**os.environ, **stack.env, **GOOD, **environment}
    argv = [*inside, *MANAGE, "doctor", *arguments]
    ended = subprocess.run(argv, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    crashes = [line for line in ended.stderr.splitlines() if line.startswith("Traceback")]
    assert not crashes, ended.stderr
    assert ended.returncode == ("✗" in ended.stdout), ended.stdout
    return ended.stdout


def wrong(found: str, machine: tuple[str, ...] = MACHINE) -> list[str]:
    """The lines about something wrong with the stack."""
    return [line for line in found.splitlines() if line.startswith("✗") and not line.startswith(machine)]

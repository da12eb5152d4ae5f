"""Run `manage.py doctor` in the environment of a stack."""

import os
import subprocess

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE, Stack

# What the settings of the tests leave out.
GOOD = {"SECRET_KEY": "a-long-and-random-key-" * 3, "EVENT_PHONES": "100"}
# They depend on the machine that runs the tests.
MACHINE = ("✗ kernel", "✗ disk", "✗ nginx")


def run_doctor(stack: Stack, *arguments: str, **environment: str) -> str:
    """Return the findings. The exit status tells whether any of them is wrong."""
    env = {**os.environ, **stack.env, **GOOD, **environment}
    ended = subprocess.run(
        [*MANAGE, "doctor", *arguments], cwd=ROOT, env=env, check=False, capture_output=True, text=True
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    assert ended.returncode == ("✗" in ended.stdout), ended.stdout
    return ended.stdout


def wrong(found: str) -> list[str]:
    """The lines about something wrong with the stack."""
    return [line for line in found.splitlines() if line.startswith("✗") and not line.startswith(MACHINE)]

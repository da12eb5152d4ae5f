"""Run commands of the games as real processes, without any way to reach a database or Redis."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

MANAGE = (sys.executable, str(Path(__file__).parents[2] / "manage.py"))
ENVIRONMENT = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "REDIS_URL": "redis://127.0.0.1:1/0"}
HANGS_S = 120


def run(*words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [*MANAGE, *words], input=given, capture_output=True, env=ENVIRONMENT, timeout=HANGS_S, check=False
    )
    assert b"Traceback" not in done.stderr
    return done


def answers(done: subprocess.CompletedProcess[bytes]) -> list[Any]:
    return [msgspec.json.decode(line) for line in done.stdout.splitlines()]

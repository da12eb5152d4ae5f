"""The folder of a test run, and what is made in it once for all processes of the run."""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import collect_static, migrate

VARIABLE = "CROWDGAME_TESTS"  # inherited by child processes
DATABASE = "db.sqlite3"


@cache
def run_folder() -> Path:
    """The folder that VARIABLE names; if it names none, a new one, deleted when this process ends."""
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = tempfile.mkdtemp(prefix="crowdgame-tests-")
        atexit.register(shutil.rmtree, os.environ[VARIABLE], ignore_errors=True)
    return Path(os.environ[VARIABLE])


@cache
def migrated_database() -> Path:
    return made_once("migrated", lambda data: migrate(_stack(data))) / DATABASE


@cache
def static_files() -> Path:
    return made_once("collected", lambda data: collect_static(_stack(data))) / "static"


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that `make` filled when the first process of the run asked for it."""
    made = run_folder() / name
    with (run_folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            unfinished = Path(tempfile.mkdtemp(prefix=name, dir=run_folder()))
            make(unfinished)
            unfinished.rename(made)
    return made


def _stack(data: Path) -> Stack:
    return Stack(data=data, secret_key="of the tests", port=0)

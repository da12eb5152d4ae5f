"""What `make play`, `make test` and `make check` begin with, on a machine with nothing but Python and make.

Run by the system's Python with the standard library alone. This module keeps to old syntax, so that an
old Python gets as far as the line which says that it is too old.
"""

import os
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "crowdgame needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try PYTHON=python3.11"
    )

from deploy.laptop import browser, frontend, lock, machines, virtualenv
from deploy.laptop.paths import DATA, LOGS, ROOT
from deploy.laptop.steps import SPEAKS_PLAINLY, one_line
from deploy.laptop.stopping import end_on_signals
from deploy.laptop.terminal import say, speak_any_encoding


def prepare(task: str) -> None:
    """Bring .venv and frontend/ to what `task` needs; what is there already is left alone."""
    virtualenv.make()
    if task == "lock":
        return
    virtualenv.install("base" if task in {"play", "build"} else "dev")
    if task == "openspiel":
        virtualenv.install("openspiel")
        return
    frontend.install()
    if task != "check":
        frontend.build()
    if task == "test":
        browser.make_sure()
    if task == "machines":
        machines.make_sure()


def main(task: str, arguments: list[str]) -> None:
    LOGS.mkdir(parents=True, exist_ok=True)
    with lock.held(DATA / "setup.lock", waiting="another set-up in this folder"):
        prepare(task)
    if task == "play":
        os.chdir(ROOT)
        os.execv(virtualenv.PYTHON, [str(virtualenv.PYTHON), "-m", "deploy.laptop.play", *arguments])


if __name__ == "__main__":
    speak_any_encoding()
    end_on_signals()
    try:
        main(sys.argv[1], sys.argv[2:])
    except SPEAKS_PLAINLY as failure:
        say(one_line(failure))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

"""Set up .venv and frontend/ for a Makefile target, on a machine with only Python and make.

The system's Python runs this module with the standard library alone. The syntax stays old on purpose:
an outdated Python must get as far as the message that says it is too old.
"""

import os
import subprocess
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "crowdgame needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try PYTHON=python3.11"
    )

from crowdgame.server.laptop import lock
from crowdgame.server.laptop.paths import DATA, LOGS, ROOT
from crowdgame.server.laptop.steps import in_background, run_command
from deploy.laptop import frontend, system_tools, translations, virtualenv

PLAY = (str(virtualenv.PYTHON), "manage.py", "play")


def prepare(task: str, arguments: list[str]) -> None:
    """Install what `task` needs in .venv and frontend/. Idempotent: steps that are up to date are skipped.

    Raises StepFailed, OSError or SystemExit.
    """
    virtualenv.create_venv()
    if task == "lock":
        virtualenv.install("uv")
    elif task in {"mutants", "openspiel", "solver"}:
        virtualenv.install("build", "dev", task)
        virtualenv.install_command()
    else:
        frontend.ensure_node()
        with in_background(frontend.install if task == "check" else frontend.install_and_build):
            virtualenv.install("build", "base" if task in {"play", "build"} else "dev")
            virtualenv.install_command()
            translations.compile_catalogs()
            if task == "play" and not frontend.is_built():  # migrating takes seconds
                prepared = subprocess.run([*PLAY, "--prepare", *arguments], cwd=ROOT, check=False)
                if prepared.returncode:
                    sys.exit(prepared.returncode)
    if task == "test":
        system_tools.ensure_browser()
    if task == "machines":
        system_tools.ensure_servers()


def main(task: str, arguments: list[str]) -> None:
    DATA.mkdir(mode=0o700, parents=True, exist_ok=True)
    LOGS.mkdir(mode=0o700, exist_ok=True)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile the product anew
    with lock.hold_lock(DATA / "setup.lock", waiting="another setup in this folder"):
        prepare(task, arguments)
    if task == "play":
        os.chdir(ROOT)
        os.execv(virtualenv.PYTHON, [*PLAY, *arguments])


if __name__ == "__main__":
    sys.exit(run_command(lambda: main(sys.argv[1], sys.argv[2:])))

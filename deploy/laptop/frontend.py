"""Install the front end's npm packages and build its pages. Installs Node, as a wheel, if there is none."""

import os
import re
import shutil
import subprocess

from crowdgame.server.laptop.paths import LOCALE_DIR, ROOT
from crowdgame.server.laptop.stamps import Stamp, fingerprint
from crowdgame.server.laptop.steps import Step, run
from deploy.laptop import virtualenv

FRONTEND_DIR = ROOT / "frontend"
NODE_MODULES_DIR = FRONTEND_DIR / "node_modules"
DIST_DIR = FRONTEND_DIR / "dist"
# Parts of the page that verifies records.
SOLVER_FILES = (ROOT / "games" / "solver" / "solver.wasm", ROOT / "games" / "solver" / "weights")
NODE_20, AFTER_NODE_20, NODE_22 = (20, 19), (21, 0), (22, 12)
NON_SOURCE_NAMES = {"node_modules", "dist"}


def ensure_node() -> None:
    """Install Node in .venv unless the machine has a new enough one. Raises StepFailed."""
    if not _machine_has_node():
        virtualenv.install("node")


def install() -> None:
    """Install the packages pinned in package-lock.json, unless they are installed. Raises StepFailed."""
    pins = [FRONTEND_DIR / name for name in ("package.json", "package-lock.json", ".npmrc")]
    stamp = Stamp(NODE_MODULES_DIR / ".stamp", fingerprint(pins))
    if stamp.is_fresh():
        return
    _run_npm("install front end packages", "ci", "npm-ci")
    stamp.set()


def install_and_build() -> None:
    """Install the packages and build the pages, as far as needed. Raises StepFailed."""
    install()
    build_pages()


def build_pages() -> None:
    """Build the pages into frontend/dist, unless no source has changed. Raises StepFailed."""
    if not is_built():
        _run_npm("build the front end", "run build", "npm-build")
        _pages_stamp().set()


def is_built() -> bool:
    """Return whether frontend/dist has the pages of the present sources."""
    return _pages_stamp().is_fresh()


def _pages_stamp() -> Stamp:
    sources = sorted(path for path in FRONTEND_DIR.iterdir() if path.name not in NON_SOURCE_NAMES)
    others = [*sorted(LOCALE_DIR.rglob("djangojs.po")), *SOLVER_FILES]
    return Stamp(DIST_DIR / ".stamp", fingerprint([*sources, *others]))


def _run_npm(title: str, command: str, log: str) -> None:
    env = {"PATH": f"{virtualenv.BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    run(Step(title, ["npm", *command.split()], log, FRONTEND_DIR, env))


def is_new_enough(version: str) -> bool:
    """Return whether the bundler supports a Node version, given as printed by `node --version`."""
    number = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    return NODE_20 <= number < AFTER_NODE_20 or number >= NODE_22


def _machine_has_node() -> bool:
    if not (shutil.which("node") and shutil.which("npm")):
        return False
    answer = subprocess.run(["node", "--version"], check=False, capture_output=True, text=True)
    return is_new_enough(answer.stdout)

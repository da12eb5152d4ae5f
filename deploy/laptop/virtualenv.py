"""The virtual environment in .venv and the pinned packages in it."""

import importlib.util
import subprocess
import sys

from deploy.laptop.paths import ROOT
from deploy.laptop.stamps import Stamp, fingerprint
from deploy.laptop.steps import Step, StepFailed, run

VENV_DIR = ROOT / ".venv"
BIN = VENV_DIR / "bin"
PYTHON = BIN / "python"
TITLES = {
    "base": "install Python packages",
    "dev": "install Python packages and test tools",
    "mutants": "install the mutation testing tool",
    "node": "install Node",
    "openspiel": "install OpenSpiel",
    "solver": "install the compiler of the solver",
}


def create_venv() -> None:
    """Create .venv unless a usable one exists. Raises StepFailed if Python lacks `ensurepip`."""
    if _is_usable():
        return
    if importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        raise StepFailed(f"this Python cannot create virtual environments. Run: apt install {package}")
    run(Step("create the virtual environment", [sys.executable, "-m", "venv", "--clear", VENV_DIR], "venv"))


def install(name: str) -> None:
    """Install the pins of requirements/`name`.txt with hash checking, unless installed. Raises StepFailed."""
    pins = ROOT / "requirements" / f"{name}.txt"
    stamp = Stamp(VENV_DIR / "stamps" / name, fingerprint([pins]))
    if stamp.is_fresh():
        return
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    complete = ["--require-hashes", "--no-deps"]  # the pins already include every dependency
    run(Step(TITLES[name], [*pip, *complete, "-r", str(pins)], f"pip-{name}"))
    stamp.set()


def _is_usable() -> bool:
    """Return whether .venv works: not moved to another path, and its Python still installed with pip."""
    config = VENV_DIR / "pyvenv.cfg"
    if not config.is_file() or not PYTHON.exists():
        return False
    made_as = [line for line in config.read_text().splitlines() if line.startswith("command = ")]
    if made_as and not made_as[0].endswith(f" {VENV_DIR}"):
        return False
    return subprocess.run([PYTHON, "-c", "import pip"], check=False, capture_output=True).returncode == 0

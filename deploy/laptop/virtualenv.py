"""The virtual environment in .venv and the pinned packages in it: pip installs uv, and uv the others."""

import ast
import importlib.util
import os
import subprocess
import sys

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stamps import Stamp, fingerprint
from crowdgame.server.laptop.steps import Step, StepFailed, run

VENV_DIR = ROOT / ".venv"
BIN = VENV_DIR / "bin"
PYTHON = BIN / "python"
TITLES = {
    "uv": "uv",
    "build": "build tools",
    "base": "Python packages",
    "dev": "Python packages with test tools",
    "mutants": "the mutation testing tool",
    "node": "Node",
    "openspiel": "OpenSpiel",
    "solver": "the compiler of the solver",
}
# Python's own pip, if it has one, installs into .venv: that saves installing pip there, which takes seconds.
HAS_PIP = importlib.util.find_spec("pip") is not None
PIP = (sys.executable, "-m", "pip", "--python", str(PYTHON)) if HAS_PIP else (str(PYTHON), "-m", "pip")
UV = (str(BIN / "uv"), "pip", "install", "--python", str(PYTHON), "--no-progress")
FIND_PACKAGES = "import os, sysconfig; os.stat(sysconfig.get_path('purelib'))"
PIP_TO_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
}


def create_venv() -> None:
    """Create .venv unless a usable one exists. Raises StepFailed if Python lacks both pip and `ensurepip`."""
    if _is_usable():
        return
    if not HAS_PIP and importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        raise StepFailed(f"this Python cannot create virtual environments. Run: apt install {package}")
    pip = ["--without-pip"] if HAS_PIP else []
    venv = [sys.executable, "-m", "venv", "--clear", *pip, str(VENV_DIR)]
    run(Step("create the virtual environment", venv, "venv"))


def install(*names: str) -> None:
    """Install the pins of requirements/NAME.txt with hash checking, unless installed. Raises StepFailed."""
    pins = {name: ROOT / "requirements" / f"{name}.txt" for name in names}
    stamps = {name: Stamp(VENV_DIR / "stamps" / name, fingerprint([path])) for name, path in pins.items()}
    stale = [name for name, stamp in stamps.items() if not stamp.is_fresh()]
    if not stale:
        return
    complete = ["--require-hashes", "--no-deps"]  # the pins include every dependency
    complete += [part for name in stale for part in ("-r", str(pins[name]))]
    title = f"install {' and '.join(TITLES[name] for name in stale)}"
    if stale == ["uv"]:
        pip = [*PIP, "install", "--disable-pip-version-check", "--no-input"]
        run(Step(title, [*pip, *complete], "pip-uv"))
    else:
        install("uv")
        options, env = uv_settings()
        run(Step(title, [*UV, *options, *complete], f"uv-{stale[-1]}", env=env))
    for name in stale:
        stamps[name].set()


def install_command() -> None:
    """Install this clone into .venv, unless installed: adds the command `crowdgame`. Raises StepFailed."""
    stamp = Stamp(VENV_DIR / "stamps" / "clone", fingerprint([ROOT / "pyproject.toml"]))
    if not stamp.is_fresh():
        options = ("--no-deps", "--no-build-isolation", "--editable", str(ROOT))
        run(Step("install the command", [*UV, *options], "uv-clone"))
        stamp.set()


def uv_settings() -> tuple[list[str], dict[str, str]]:
    """Return uv's options and environment variables, with the package indexes that pip is set to use.

    uv does not read pip's settings. Its own variables win. Hashes are checked, so any index may be used.
    Unlike pip, uv fails if it cannot write its cache.
    """
    listed = subprocess.run([*PIP, "config", "list"], check=False, capture_output=True, text=True)
    settings = read_pip_settings(listed.stdout)
    env = {PIP_TO_UV[key]: value for key, value in settings.items() if key in PIP_TO_UV}
    if "UV_FIND_LINKS" in env:
        env["UV_FIND_LINKS"] = ",".join(env["UV_FIND_LINKS"].split())
    no_index = ["--no-index"] if settings.get("no-index", "") in {"1", "true", "yes"} else []
    no_cache = [] if os.access(os.path.expanduser("~"), os.W_OK) else ["--no-cache"]
    return [*no_index, *no_cache], {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        **env,
        **os.environ,
    }


def read_pip_settings(listed: str) -> dict[str, str]:
    """Parse the output of `pip config list` into the settings of `pip install`, with pip's precedence."""
    settings: dict[str, str] = {}
    for section in ("global.", "install.", ":env:."):
        for key, _, value in (line.partition("=") for line in listed.splitlines()):
            if key.startswith(section):
                settings[key.removeprefix(section)] = ast.literal_eval(value)
    return settings


def _is_usable() -> bool:
    """Return whether .venv works: not moved to another path, and its Python still installed.

    After an upgrade of the system, its Python may be of another version and find none of its packages.
    """
    config = VENV_DIR / "pyvenv.cfg"
    if not config.is_file() or not PYTHON.exists():
        return False
    made_as = [line for line in config.read_text().splitlines() if line.startswith("command = ")]
    if made_as and not made_as[0].endswith(f" {VENV_DIR}"):
        return False
    asked = subprocess.run([PYTHON, "-c", FIND_PACKAGES], check=False, capture_output=True)
    return asked.returncode == 0

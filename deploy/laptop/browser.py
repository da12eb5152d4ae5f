"""A browser for the tests: the machine's own, Debian's, or Playwright's."""

import os
import shutil
import subprocess
from pathlib import Path

from deploy.laptop import virtualenv
from deploy.laptop.steps import Step, StepFailed, run

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DEBIAN = Path("/etc/debian_version")
BY_HAND = "tests need a browser: install Chromium so that `chromium` is on the PATH"
LAUNCH = "from playwright.sync_api import sync_playwright as p\nwith p() as up: up.chromium.launch().close()"


def find() -> str | None:
    """The machine's own browser, to be given to Playwright as its executable; None: Playwright's own."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def make_sure() -> None:
    """Have a browser that starts. Raises StepFailed, naming what to install."""
    if find() is None:
        _install_debians() if DEBIAN.exists() and os.geteuid() == 0 else _install_playwrights()


def _install_debians() -> None:
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run(Step("ask Debian for its packages", ["apt-get", "update"], "apt-update", env=quiet))
    install = ["apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]
    run(Step("install Debian's Chromium", install, "apt-chromium", env=quiet))
    if find() is None:
        raise StepFailed(BY_HAND)


def _install_playwrights() -> None:
    if not _launches():
        playwright = [str(virtualenv.PYTHON), "-m", "playwright", "install", "chromium"]
        run(Step("install Playwright's Chromium", playwright, "playwright"))
        if not _launches():
            raise StepFailed(BY_HAND)


def _launches() -> bool:
    return subprocess.run([virtualenv.PYTHON, "-c", LAUNCH], check=False, capture_output=True).returncode == 0

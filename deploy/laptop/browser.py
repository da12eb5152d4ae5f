"""Find or install a browser for the tests: an installed one, Debian's package, or Playwright's download."""

import os
import shutil
import subprocess
from pathlib import Path

from crowdgame.server.laptop.steps import Step, StepFailed, run
from deploy.laptop import virtualenv

# Without the browser's own windows, the same tests take a third of the processor time: 97 instead of 275 s.
HEADLESS_PACKAGE = "chromium-headless-shell"
BROWSER_NAMES = (HEADLESS_PACKAGE, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DEBIAN_VERSION_FILE = Path("/etc/debian_version")
INSTALL_HINT = "tests need a browser. Install Chromium so that `chromium` is on the PATH"
LAUNCH_SCRIPT = (
    "from playwright.sync_api import sync_playwright as p\nwith p() as up: up.chromium.launch().close()"
)


def find_browser() -> str | None:
    """Return the path of an installed browser; None to use Playwright's own."""
    return next(filter(None, map(shutil.which, BROWSER_NAMES)), None)


def ensure_installed() -> None:
    """Install a browser if none is found. Raises StepFailed with a hint on what to install."""
    if find_browser() is None:
        on_debian = DEBIAN_VERSION_FILE.exists() and os.geteuid() == 0
        if not (on_debian and _install_from_debian()):
            _install_from_playwright()


def _install_from_debian() -> bool:
    """Return False if the distribution has no such package."""
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run(Step("update Debian's package lists", ["apt-get", "update"], "apt-update", env=quiet))
    found = subprocess.run(["apt-cache", "show", HEADLESS_PACKAGE], check=False, capture_output=True)
    if found.returncode:
        return False
    install = ["apt-get", "install", "-y", "--no-install-recommends", HEADLESS_PACKAGE, "fonts-dejavu-core"]
    run(Step("install Debian's Chromium", install, "apt-chromium", env=quiet))
    return find_browser() is not None


def _install_from_playwright() -> None:
    if not _can_launch():
        playwright = [str(virtualenv.PYTHON), "-m", "playwright", "install", "chromium"]
        run(Step("install Playwright's Chromium", playwright, "playwright"))
        if not _can_launch():
            raise StepFailed(INSTALL_HINT)


def _can_launch() -> bool:
    launched = subprocess.run([virtualenv.PYTHON, "-c", LAUNCH_SCRIPT], check=False, capture_output=True)
    return launched.returncode == 0

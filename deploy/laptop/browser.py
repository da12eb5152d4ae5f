"""Find or install a browser for the tests: an installed one, Debian's package, or Playwright's download."""

import shutil
import subprocess

from crowdgame.server.laptop.steps import Step, StepFailed, run
from deploy.laptop import virtualenv
from deploy.laptop.system_tools import install_debian_packages

# Without the browser's own windows, the same tests take a third of the processor time: 97 instead of 275 s.
HEADLESS_PACKAGE = "chromium-headless-shell"
BROWSER_NAMES = (HEADLESS_PACKAGE, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL_HINT = "tests need a browser. Install Chromium so that `chromium` is on the PATH"
LAUNCH_SCRIPT = (
    "from playwright.sync_api import sync_playwright as p\nwith p() as up: up.chromium.launch().close()"
)


def find_browser() -> str | None:
    """Return the path of an installed browser; None to use Playwright's own."""
    return next(filter(None, map(shutil.which, BROWSER_NAMES)), None)


def ensure_installed() -> None:
    """Install a browser if none is found. Raises StepFailed with a hint on what to install."""
    if find_browser() or _can_launch():
        return
    try:
        install_debian_packages([HEADLESS_PACKAGE, "fonts-dejavu-core"])
    except (StepFailed, OSError):  # another system or user, or no such package
        playwright = [str(virtualenv.PYTHON), "-m", "playwright", "install", "chromium"]
        run(Step("install Playwright's Chromium", playwright, "playwright"))
    if not (find_browser() or _can_launch()):
        raise StepFailed(INSTALL_HINT)


def _can_launch() -> bool:
    launched = subprocess.run([virtualenv.PYTHON, "-c", LAUNCH_SCRIPT], check=False, capture_output=True)
    return launched.returncode == 0

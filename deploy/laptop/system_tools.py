"""Find or install what the tests need: a browser, servers, promtool, ip and a C compiler."""

import os
import shutil
import subprocess
from pathlib import Path

from crowdgame.server.laptop.steps import Step, StepFailed, run
from deploy.laptop import virtualenv

# Without the browser's own windows, the same tests take a third of the processor time: 97 instead of 275 s.
HEADLESS_PACKAGE = "chromium-headless-shell"
BROWSER_NAMES = (HEADLESS_PACKAGE, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_HINT = "tests need a browser. Install Chromium so that `chromium` is on the PATH"
LAUNCH_SCRIPT = (
    "from playwright.sync_api import sync_playwright as p\nwith p() as up: up.chromium.launch().close()"
)
DEBIAN_VERSION_FILE = Path("/etc/debian_version")
POSTGRES_DIR = Path("/usr/lib/postgresql")
SERVERS_HINT = (
    "the tests need PostgreSQL (initdb, postgres), nginx, ngircd, promtool, ip and a C compiler (cc). "
    "Install them"
)
# Keep Debian from starting PostgreSQL, nginx, ngircd and Prometheus as services: the tests start their own.
NO_AUTOSTART_SCRIPT = """\
test -e /etc/postgresql-common/createcluster.conf || {
  mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
}
test -e /usr/sbin/policy-rc.d || {
  printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
  trap 'rm /usr/sbin/policy-rc.d' EXIT
}
"""


def find_browser() -> str | None:
    """Return the path of an installed browser; None to use Playwright's own."""
    return next(filter(None, map(shutil.which, BROWSER_NAMES)), None)


def ensure_browser() -> None:
    """Install a browser if none is found. Raises StepFailed with a hint on what to install."""
    if _has_browser():
        return
    try:
        install_debian_packages([HEADLESS_PACKAGE, "fonts-dejavu-core"])
    except (StepFailed, OSError):  # another system or user, or no such package
        playwright = [str(virtualenv.PYTHON), "-m", "playwright", "install", "chromium"]
        run(Step("install Playwright's Chromium", playwright, "playwright"))
    if not _has_browser():
        raise StepFailed(BROWSER_HINT)


def _has_browser() -> bool:
    launch = [str(virtualenv.PYTHON), "-c", LAUNCH_SCRIPT]
    return bool(find_browser()) or subprocess.run(launch, check=False, capture_output=True).returncode == 0


def find_postgres() -> Path | None:
    """Return the folder with PostgreSQL's programs: from the PATH, otherwise Debian's newest version."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve().parent] if on_path else []
    versions = sorted(POSTGRES_DIR.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found += [path.parent for path in reversed(versions)]
    return next((folder for folder in found if (folder / "postgres").exists()), None)


def find_server(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def ensure_servers() -> None:
    """Install missing servers and the compiler. Raises StepFailed with a hint on what to install."""
    missing = _missing_packages()
    if missing and not DEBIAN_VERSION_FILE.exists():
        raise StepFailed(SERVERS_HINT)
    if missing:
        install_debian_packages(missing, NO_AUTOSTART_SCRIPT)
    if _missing_packages():
        raise StepFailed(SERVERS_HINT)


def _missing_packages() -> list[str]:
    compiler = shutil.which("cc")
    found = {"postgresql": find_postgres(), "gcc": compiler, "libc6-dev": compiler}
    found |= {
        "nginx-light": find_server("nginx"),
        "ngircd": find_server("ngircd"),
        "iproute2": find_server("ip"),
        "prometheus": find_server("promtool"),
    }
    return [package for package, program in found.items() if program is None]


def install_debian_packages(packages: list[str], preparation: str = "") -> None:
    """Install packages after a shell script as preparation. Raises StepFailed, also without root's rights."""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if root and shutil.which("sudo") is None:
        raise StepFailed(f"the tests need more packages. As root: apt-get install {' '.join(packages)}")
    quiet = "export DEBIAN_FRONTEND=noninteractive\n"
    install = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    run(Step("update Debian's package lists", [*root, "apt-get", "update"], "apt-update"))
    script = f"set -e\n{quiet}{preparation}{install}"
    run(Step(f"install Debian's {' and '.join(packages)}", [*root, "sh", "-c", script], "apt-install"))

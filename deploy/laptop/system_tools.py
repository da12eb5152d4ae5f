"""Find PostgreSQL, nginx, an IRC server and a C compiler for the tests; install Debian's packages."""

import os
import shutil
from pathlib import Path

from crowdgame.server.laptop.steps import Step, StepFailed, run

DEBIAN_VERSION_FILE = Path("/etc/debian_version")
POSTGRES_DIR = Path("/usr/lib/postgresql")
INSTALL_HINT = (
    "the tests need PostgreSQL (initdb, postgres), nginx, ngircd and a C compiler (cc). Install them"
)
# Keep Debian from starting PostgreSQL, nginx and ngircd as services: the tests start their own.
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


def find_postgres() -> Path | None:
    """Return the folder with PostgreSQL's programs: from the PATH, otherwise Debian's newest version."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve().parent] if on_path else []
    versions = sorted(POSTGRES_DIR.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found += [path.parent for path in reversed(versions)]
    return next((folder for folder in found if (folder / "postgres").exists()), None)


def find_nginx() -> str | None:
    return _find_server("nginx")


def find_ngircd() -> str | None:
    return _find_server("ngircd")


def _find_server(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def find_compiler() -> str | None:
    return shutil.which("cc")


def ensure_installed() -> None:
    """Install what is missing. Raises StepFailed with a hint on what to install."""
    missing = _missing_packages()
    if missing and not DEBIAN_VERSION_FILE.exists():
        raise StepFailed(INSTALL_HINT)
    if missing:
        install_debian_packages(missing, NO_AUTOSTART_SCRIPT)
    if _missing_packages():
        raise StepFailed(INSTALL_HINT)


def _missing_packages() -> list[str]:
    compiler = ["gcc", "libc6-dev"] if find_compiler() is None else []
    servers = {"postgresql": find_postgres(), "nginx-light": find_nginx(), "ngircd": find_ngircd()}
    return [package for package, found in servers.items() if found is None] + compiler


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

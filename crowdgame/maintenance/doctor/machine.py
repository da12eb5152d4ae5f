"""This machine: disk, backups, kernel limits, nginx, and who may read the data."""

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings

from crowdgame.maintenance.doctor.finding import Finding
from crowdgame.maintenance.doctor.site import is_in_local_network

MIN_FREE_BYTES = 1_000_000_000
POSTGRESQL = Path("/var/lib/postgresql")
IS_SYNCHRONIZED = ("timedatectl", "show", "--property=NTPSynchronized", "--value")
MIN_SOMAXCONN = 4_096
SOMAXCONN = Path("/proc/sys/net/core/somaxconn")
BACKUPS = Path("/var/backups/crowdgame")
MAX_BACKUP_AGE = timedelta(days=2)
NGINX_CONF = Path("/etc/nginx/nginx.conf")
CONNECTIONS_PER_PHONE = 2


def check_disk() -> Iterator[Finding]:
    folder = Path(settings.DATA_DIR)
    for used in _disks(folder, POSTGRESQL, BACKUPS):
        free = shutil.disk_usage(used).free
        if free < MIN_FREE_BYTES:
            yield Finding(
                f"{free / 1e6:.0f} MB are free in {used}",
                "Free space: on a full disk, no turn can be closed.",
            )
    database = folder / "db.sqlite3"
    readable = [path for path in (folder, database) if path.exists() and path.stat().st_mode & stat.S_IROTH]
    if database in readable and folder in readable:
        yield Finding(f"every user of this machine can read {database}", f"Run: chmod 700 {folder}")


def _disks(*folders: Path) -> list[Path]:
    """Return the first of these folders on each disk."""
    by_disk: dict[int, Path] = {}
    for folder in filter(Path.is_dir, folders):
        by_disk.setdefault(folder.stat().st_dev, folder)
    return list(by_disk.values())


def check_time() -> Iterator[Finding]:
    """Check that the clock is synchronized. On a single machine, no other clock shows that it is wrong."""
    with suppress(FileNotFoundError):
        answer = subprocess.run(IS_SYNCHRONIZED, capture_output=True, text=True, check=False)  # noqa: S603
        if answer.stdout.strip() == "no":
            yield Finding(
                "this machine's clock is not synchronized",
                "Run NTP (chrony or systemd-timesyncd), and see `timedatectl`.",
                is_wrong=not is_in_local_network(),
            )


def check_backups() -> Iterator[Finding]:
    """Check the age of the nightly backups, which are named by their time, if install.sh has set them up."""
    if not os.access(BACKUPS, os.R_OK):
        return
    newest = max((path.name for path in BACKUPS.glob("2*Z")), default="")
    if newest < f"{datetime.now(UTC) - MAX_BACKUP_AGE:%Y%m%dT%H%M%SZ}":
        yield Finding(
            f"the newest backup in {BACKUPS} is {newest or 'missing'}",
            "Run `systemctl start crowdgame-backup`, and check crowdgame-backup.timer.",
        )


def check_kernel() -> Iterator[Finding]:
    if SOMAXCONN.exists() and (limit := int(SOMAXCONN.read_text())) < MIN_SOMAXCONN:
        yield Finding(
            f"net.core.somaxconn is {limit}: phones that connect at once are refused",
            "Apply deploy/server/sysctl.conf.",
        )


def check_nginx() -> Iterator[Finding]:
    """Check the limits of an nginx on this machine whose configuration is readable and based on ours."""
    try:
        text = NGINX_CONF.read_text()
    except OSError:
        return
    if "upstream gateways" in text:
        yield from nginx_findings(text)


def nginx_findings(text: str) -> Iterator[Finding]:
    """Check the text of an nginx configuration. The limits apply to each nginx worker."""
    connections, files = (_directive(text, name) for name in ("worker_connections", "worker_rlimit_nofile"))
    needed = CONNECTIONS_PER_PHONE * settings.EVENT_PHONES
    if connections < needed:
        yield Finding(
            f"worker_connections is {connections}, but EVENT_PHONES={settings.EVENT_PHONES} needs {needed}",
            "Raise it in nginx.conf, or lower EVENT_PHONES.",
        )
    if files < connections:
        yield Finding(
            f"worker_rlimit_nofile is {files or 'not set'}, below worker_connections ({connections})",
            "Raise it in nginx.conf.",
        )


def _directive(text: str, name: str) -> int:
    """Return the value of a directive, or 0 if it is missing."""
    found = re.search(rf"^\s*{name}\s+(\d+);", text, re.MULTILINE)
    return int(found[1]) if found else 0

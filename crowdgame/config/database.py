"""Where the database is: what DATABASE_URL names, which is PostgreSQL, or SQLite in the data folder."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SQLITE = "django.db.backends.sqlite3"
MIN_FREE_BYTES = 1_048_576
DEFAULT_POOL_SIZE = 4
CONNECT_TIMEOUT_S = 2
LOCK_TIMEOUT_S = 10
# A server that is gone is noticed, and one that lost its client does not keep the client's locks.
CONNECTION_OPTIONS = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
    "options": f"-c lock_timeout={LOCK_TIMEOUT_S}s -c idle_in_transaction_session_timeout={LOCK_TIMEOUT_S}s",
}


def database(url: str, folder: Path) -> dict[str, Any]:
    """Django's description of it. Raises ImproperlyConfigured if `url` is not of PostgreSQL."""
    return _postgresql(url) if url else _sqlite(folder / "db.sqlite3")


def is_disk_full(described: Mapping[str, Any]) -> bool:
    """Whether SQLite's disk has no space left to speak of; of PostgreSQL's nothing is known here."""
    if described["ENGINE"] != SQLITE:
        return False
    disk = os.statvfs(Path(described["NAME"]).parent)
    return disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES


def _sqlite(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": SQLITE,
        "NAME": path,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": LOCK_TIMEOUT_S,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }


def _postgresql(url: str) -> dict[str, Any]:
    """What the URL's query says goes before our own options."""
    named: dict[str, Any] = {**dj_database_url.parse(url, conn_health_checks=True)}
    if named["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured("DATABASE_URL must begin with postgresql://")
    return named | {"OPTIONS": {"pool": _pool()} | CONNECTION_OPTIONS | named.get("OPTIONS", {})}


def _pool() -> dict[str, Any]:
    """One connection is kept. While the server is away each who asks tries anew: no back-off of minutes."""
    return {
        "min_size": 1,
        "max_size": int(os.environ.get("DATABASE_POOL") or DEFAULT_POOL_SIZE),
        "timeout": CONNECT_TIMEOUT_S,
        "reconnect_timeout": CONNECT_TIMEOUT_S,
    }

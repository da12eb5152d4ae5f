"""Where the database is: what DATABASE_URL names, which is PostgreSQL, or SQLite in the data folder."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SQLITE = "django.db.backends.sqlite3"
LEAST_BYTES = 1_048_576
POOL_MOST = 4
GIVE_UP_AFTER_S = 2
LONGEST_LOCK_S = 10
# A server that is gone is noticed, and one that lost its client does not keep the client's locks.
CONNECTION = {
    "connect_timeout": GIVE_UP_AFTER_S,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
    "options": f"-c lock_timeout={LONGEST_LOCK_S}s -c idle_in_transaction_session_timeout={LONGEST_LOCK_S}s",
}


def database(url: str, folder: Path) -> dict[str, Any]:
    """Django's description of it. Raises ImproperlyConfigured if `url` is not of PostgreSQL."""
    return _postgresql(url) if url else _sqlite(folder / "db.sqlite3")


def is_full(described: Mapping[str, Any]) -> bool:
    """Whether SQLite's disk has no space left to speak of; of PostgreSQL's nothing is known here."""
    if described["ENGINE"] != SQLITE:
        return False
    disk = os.statvfs(Path(described["NAME"]).parent)
    return disk.f_bavail * disk.f_frsize < LEAST_BYTES


def _sqlite(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": SQLITE,
        "NAME": path,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": LONGEST_LOCK_S,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }


def _postgresql(url: str) -> dict[str, Any]:
    """What the URL's query says goes before our own options."""
    named: dict[str, Any] = {**dj_database_url.parse(url, conn_health_checks=True)}
    if named["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured("DATABASE_URL must begin with postgresql://")
    return named | {"OPTIONS": {"pool": _pool()} | CONNECTION | named.get("OPTIONS", {})}


def _pool() -> dict[str, Any]:
    """One connection is kept. While the server is away each who asks tries anew: no back-off of minutes."""
    return {
        "min_size": 1,
        "max_size": int(os.environ.get("DATABASE_POOL") or POOL_MOST),
        "timeout": GIVE_UP_AFTER_S,
        "reconnect_timeout": GIVE_UP_AFTER_S,
    }

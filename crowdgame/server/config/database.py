"""Database settings: PostgreSQL from DATABASE_URL, or else SQLite in the data folder."""

import os
from collections.abc import Mapping
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from crowdgame.server.config.environment import Storage

# Whether the current context serves a page. On PostgreSQL, pages have a connection pool of their own.
serves_page: ContextVar[bool] = ContextVar("serves_page", default=False)

SQLITE = "django.db.backends.sqlite3"
MIN_FREE_BYTES = 1_048_576
CONNECT_TIMEOUT_S = 2
LOCK_TIMEOUT_S = 10
# Keepalives and timeouts detect a dead server. The server ends idle transactions, so that a lost client's
# locks are released.
CONNECTION_OPTIONS = {
    "connect_timeout": CONNECT_TIMEOUT_S,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
    "options": f"-c lock_timeout={LOCK_TIMEOUT_S}s -c idle_in_transaction_session_timeout={LOCK_TIMEOUT_S}s",
}


def database(url: str, folder: Path) -> dict[str, Any]:
    """Return Django's DATABASES entry. Raises ImproperlyConfigured if `url` cannot be used.

    `folder` is where the SQLite file is stored if `url` is empty.
    """
    return _postgresql(url) if url else _sqlite(folder / "db.sqlite3")


def is_disk_full(described: Mapping[str, Any]) -> bool:
    """Whether SQLite's disk has less than MIN_FREE_BYTES left. Always False for PostgreSQL."""
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
    """Options in the URL's query override CONNECTION_OPTIONS."""
    try:
        named: dict[str, Any] = {**dj_database_url.parse(url, conn_health_checks=True)}
    except ValueError:
        named = {}
    if named.get("ENGINE") != "django.db.backends.postgresql" or not named["NAME"]:
        raise ImproperlyConfigured(
            "DATABASE_URL must be postgresql://USER:PASSWORD@HOST:PORT/NAME. "
            "In a password, write characters such as # / @ as %23 %2F %40."
        )
    if find_spec("psycopg") is None:
        raise ImproperlyConfigured('PostgreSQL needs more packages. Run: pip install "crowdgame[postgresql]"')
    named["ENGINE"] = "crowdgame.server.config.postgresql"
    return named | {"OPTIONS": {"pool": _pool()} | CONNECTION_OPTIONS | named.get("OPTIONS", {})}


def _pool() -> dict[str, Any]:
    """Connection pool options, for pages and for all other work: keep one connection open.

    The short `reconnect_timeout` avoids a back-off of minutes: while the server is down, each request tries
    to connect again.
    """
    return {
        "min_size": 1,
        "max_size": Storage.DATABASE_POOL,
        "timeout": CONNECT_TIMEOUT_S,
        "reconnect_timeout": CONNECT_TIMEOUT_S,
    }

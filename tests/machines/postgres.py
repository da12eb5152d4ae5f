"""A real PostgreSQL for tests, on loopback, without a password.

It runs without fsync: tests restart it, but never cut the power.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.network import LOOPBACK, free_port
from deploy.laptop.system_tools import find_postgres
from tests.deploy.processes import becomes_true

SERVICE_USER = "postgres"
WITHIN_S = 30
TEST_OPTIONS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "deadlock_timeout": "200ms",
    "log_lock_waits": "on",
}


@dataclass
class Postgres:
    """`folder` holds its data and log; `port` stays the same across restarts."""

    folder: Path
    port: int
    listen: str = LOOPBACK
    process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def url(self, name: str) -> str:
        return f"postgresql://postgres@{LOOPBACK}:{self.port}/{name}"

    def new_database(self, template: str = "template1") -> str:
        """Create a database, which is empty unless another one is its template; return its URL."""
        name = f"crowdgame_{next(self._numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return self.url(name)

    def start(self) -> None:
        options = TEST_OPTIONS | {
            "port": str(self.port),
            "listen_addresses": self.listen,
            "unix_socket_directories": str(self.folder),
        }
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        argv = [program("postgres"), "-D", str(self.folder / "data"), *settings]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(_as_postgres(argv), cwd=self.folder, stdout=log, stderr=log)
        has_ended = self.process.poll
        becomes_true(lambda: self._answers() or has_ended() is not None, WITHIN_S)
        assert self._answers(), self.log.read_text()

    def stop(self) -> None:
        """Stop it like `pg_ctl stop -m fast`, which drops all connections."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(WITHIN_S)

    def restart(self) -> None:
        self.stop()
        self.start()

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="crowdgame-postgres-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, SERVICE_USER)
        postgres = Postgres(folder, free_port())
        options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        initdb = _as_postgres([program("initdb"), "-D", str(folder / "data"), *options])
        subprocess.run(initdb, cwd=folder, check=True, capture_output=True)
        postgres.start()
        try:
            yield postgres
        finally:
            postgres.stop()
    finally:
        shutil.rmtree(folder)


def program(name: str) -> str:
    folder = find_postgres()
    assert folder is not None, "there is no PostgreSQL on this machine: make test-deploy installs it"
    return str(folder / name)


def _as_postgres(argv: Sequence[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return without_root_rights(argv, SERVICE_USER, SERVICE_USER)


def without_root_rights(argv: Sequence[str], user: str, group: str) -> list[str]:
    """The command as this user, if there are root rights. It ends with the tests, even killed ones."""
    if os.geteuid() != 0:
        return die_with_parent(list(argv))
    someone = [f"--reuid={user}", f"--regid={group}", "--clear-groups", "--pdeathsig=INT"]
    return ["setpriv", *someone, "--", *argv]

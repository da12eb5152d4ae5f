"""A whole running stack for tests: Valkey, gateway, worker and clock, on ports and data of its own.

from tests.stack import house, houses  # noqa: F401  in the conftest.py of the tests that need it
"""

import atexit
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.string import TextLoader

from deploy.laptop.network import free_port
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import SERVERS, Stack
from deploy.laptop.startup import migrate, start_ballot_box, start_services, wait_for_pages
from deploy.laptop.supervisor import Supervisor

__all__ = [
    "SERVERS",
    "SERVERS_TESTED",
    "House",
    "give_database",
    "house",
    "houses",
    "running_house",
    "running_parts",
    "spread_over_servers",
]

# What one has shown, the other shows to whoever asks.
SERVERS_TESTED = [SERVERS[0], *(pytest.param(server, marks=pytest.mark.thorough) for server in SERVERS[1:])]
# Labels of the apps whose tables are ours.
OWN_APPS = frozenset(
    ("games", "voting", "accounts", "events", "duels", "ratings", "notifications", "chat", "cups")
)
DATABASE = "db.sqlite3"
ERROR_MARKS = ("Traceback", " ERROR ", " CRITICAL ", "Exception")


@dataclass
class House:
    stack: Stack
    supervisor: Supervisor
    organizer: subprocess.Popen[str]

    @property
    def http(self) -> str:
        return f"http://{self.stack.address}:{self.stack.port}"

    @property
    def ws(self) -> str:
        return f"ws://{self.stack.address}:{self.stack.port}/ws"

    def ask(self, question: str, **arguments: Any) -> Any:
        """Have something done in the stack's database by a process of its own (see `tests.organizer`)."""
        assert self.organizer.stdin is not None
        assert self.organizer.stdout is not None
        self.organizer.stdin.write(json.dumps([question, arguments]) + "\n")
        self.organizer.stdin.flush()
        answer = self.organizer.stdout.readline()
        assert answer, f"the organizer died of {question} {arguments}"
        return json.loads(answer)

    def rows(self, sql: str, *arguments: Any) -> list[Any]:
        """What the stack's database says, read only; JSON as text."""
        if self.stack.database_url:
            with psycopg.connect(self.stack.database_url) as connection:
                connection.adapters.register_loader("jsonb", TextLoader)
                return connection.execute(sql.replace("?", "%s").encode(), arguments).fetchall()
        address = f"file:{self.stack.data / DATABASE}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=10)) as database:
            return database.execute(sql, arguments).fetchall()

    def is_writable(self) -> bool:
        """Whether no process holds the write lock of the SQLite database."""
        with closing(
            sqlite3.connect(self.stack.data / DATABASE, timeout=0, isolation_level=None)
        ) as database:
            try:
                database.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            database.execute("ROLLBACK")
            return True

    def contents(self) -> dict[str, list[Any]]:
        """All that the crowd and the organizers have left in the database."""
        named = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        if not self.stack.database_url:
            named = "SELECT name FROM sqlite_master WHERE type = 'table'"
        tables = [name for (name,) in self.rows(named) if name.partition("_")[0] in OWN_APPS]
        return {name: self.rows(f"SELECT * FROM {name} ORDER BY id") for name in tables}  # noqa: S608

    def log(self, name: str) -> str:
        path = self.stack.logs / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def log_errors(self, name: str, since: int = 0) -> list[str]:
        """Lines of a log that tell of a fault, from character `since` on."""
        lines = self.log(name)[since:].splitlines()
        return [line for line in lines if any(word in line for word in ERROR_MARKS)]


@contextmanager
def running_house(
    data: Path, server: str = "daphne", gateways: int = 1, database_url: str = "", box_url: str = ""
) -> Iterator[House]:
    """`gateways` of a `server` that share the house's port."""
    stack = Stack(data=data, secret_key="of the tests", port=free_port(), valkey_port=free_port())
    stack = replace(stack, server=server, gateways=gateways, database_url=database_url, box_url=box_url)
    with running_parts(stack) as supervisor, organizer(stack) as asked:
        yield House(stack, supervisor, asked)


@contextmanager
def running_parts(stack: Stack) -> Iterator[Supervisor]:
    """As `running` does, but in a new house, which ends at once (tests/deploy: how parts end in order)."""
    with Supervisor(stack.logs) as supervisor:
        start_ballot_box(stack, supervisor)
        give_database(stack)
        start_services(stack, supervisor)
        wait_for_pages(stack)
        try:
            yield supervisor
        finally:
            supervisor.stop(within_s=0)


def give_database(stack: Stack) -> None:
    """One in the state of the code; of those that are files, a copy of the one made first."""
    if stack.database_url:
        migrate(stack)
        return
    stack.data.mkdir(parents=True, exist_ok=True)
    shutil.copy(_first_database(), stack.data / DATABASE)


@cache
def _first_database() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="crowdgame-database-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    migrate(Stack(data=folder, secret_key="of the tests", port=0))
    return folder / DATABASE


@contextmanager
def organizer(stack: Stack) -> Iterator[subprocess.Popen[str]]:
    """The process that a House asks."""
    stack.logs.mkdir(parents=True, exist_ok=True)  # a night's own are elsewhere
    with (
        (stack.logs / "organizer.log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", "tests.organizer"],
            cwd=ROOT,
            env={**os.environ, **stack.env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], House]]:
    """One of a server for the whole run, started when it is first asked for."""
    with ExitStack() as running:
        yield cache(
            lambda server: running.enter_context(running_house(tmp_path_factory.mktemp(server), server))
        )


@pytest.fixture(scope="session")
def house(request: pytest.FixtureRequest, houses: Callable[[str], House]) -> House:
    """Whoever kills its parts takes a `running_house` of their own."""
    return houses(getattr(request, "param", SERVERS[0]))


def spread_over_servers(metafunc: pytest.Metafunc, both: bool) -> None:
    """Have a test of the house made for the first of SERVERS, and if `both` is set for each of them."""
    if "house" in metafunc.fixturenames:
        servers = SERVERS_TESTED if both else SERVERS[:1]
        metafunc.parametrize("house", servers, indirect=True, scope="session")

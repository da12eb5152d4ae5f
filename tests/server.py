"""A complete running stack for tests: Valkey, gateway, worker and schedulers, with its own ports and data.

from tests.server import server, servers  # noqa: F401  in the conftest.py of the tests that need it
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.string import TextLoader

from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import SERVERS, Stack, analyzer, schedulers, workers
from crowdgame.server.laptop.startup import migrate, start_ballot_box, start_gateways, wait_for_pages
from crowdgame.server.laptop.supervisor import Supervisor
from tests.run_folder import DATABASE, migrated_database

# The first server is always tested, the others only in the slow tests.
ASGI_SERVERS_TESTED = [SERVERS[0], *(pytest.param(name, marks=pytest.mark.nightly) for name in SERVERS[1:])]
ERROR_MARKS = ("Traceback", " ERROR ", " CRITICAL ", '"ERROR"', '"CRITICAL"', "Exception")


@dataclass
class Server:
    """A running stack, and a process that runs test operations in its database."""

    stack: Stack
    supervisor: Supervisor
    organizer: subprocess.Popen[str]

    @property
    def http(self) -> str:
        return f"http://{self.stack.address}:{self.stack.port}"

    @property
    def ws(self) -> str:
        return f"ws://{self.stack.address}:{self.stack.port}/ws"

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Run an operation in the stack's database through the process `tests.organizer`."""
        assert self.organizer.stdin is not None
        assert self.organizer.stdout is not None
        self.organizer.stdin.write(json.dumps([operation, arguments]) + "\n")
        self.organizer.stdin.flush()
        answer = self.organizer.stdout.readline()
        assert answer, f"the organizer process died during {operation} {arguments}"
        return json.loads(answer)

    def rows(self, sql: str, *arguments: Any) -> list[Any]:
        """Query the stack's database read-only; JSON columns are returned as text."""
        if self.stack.database_url:
            with psycopg.connect(self.stack.database_url) as connection:
                connection.adapters.register_loader("jsonb", TextLoader)
                return connection.execute(sql.replace("?", "%s").encode(), arguments).fetchall()
        address = f"file:{self.stack.data / DATABASE}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=10)) as database:
            return database.execute(sql, arguments).fetchall()

    def is_writable(self) -> bool:
        """Whether no process holds the write lock of the SQLite database."""
        path = self.stack.data / DATABASE
        with closing(sqlite3.connect(path, timeout=0)) as database, suppress(sqlite3.OperationalError):
            database.execute("BEGIN IMMEDIATE")
            return True
        return False

    def contents(self) -> dict[str, str]:
        """The rows of each of our tables, without the turnout that schedulers record."""
        return dict(self.ask("contents"))

    def log(self, name: str) -> str:
        path = self.stack.logs / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def log_errors(self, name: str, since: int = 0) -> list[str]:
        """Log lines that report an error, from character `since` on."""
        lines = self.log(name)[since:].splitlines()
        return [line for line in lines if any(word in line for word in ERROR_MARKS)]


class JsonStack(Stack):
    @property
    def env(self) -> Mapping[str, str]:
        return {**super().env, "LOG_FORMAT": "json"}


@contextmanager
def running_server(
    data: Path, asgi_server: str = "daphne", gateways: int = 1, *, analyzes: bool = True, **options: Any
) -> Iterator[Server]:
    """Run a stack with this many `gateways` on one port, each on this ASGI server. It logs JSON.

    `options` are other fields of Stack.
    """
    stack: Stack = JsonStack(data=data, secret_key="of the tests", port=free_port(), valkey_port=free_port())
    stack = replace(stack, server=asgi_server, gateways=gateways, **options)
    with running_parts(stack, analyzes=analyzes) as supervisor, organizer(stack) as asked:
        yield Server(stack, supervisor, asked)


@contextmanager
def running_parts(
    stack: Stack, *, analyzes: bool = True, fill: Callable[[Stack], object] | None = None
) -> Iterator[Supervisor]:
    """Like `running_stack`, but with an immediate stop, and a new database unless `fill` makes another."""
    with Supervisor(stack.logs) as supervisor:
        start_ballot_box(stack, supervisor)
        (fill or give_database)(stack)
        start_gateways(stack, supervisor)
        supervisor.start(*workers(stack), *schedulers(stack), *([analyzer(stack)] if analyzes else ()))
        wait_for_pages(stack, supervisor)
        try:
            yield supervisor
        finally:
            supervisor.stop(within_s=0)


def give_database(stack: Stack) -> None:
    """Provide a migrated database; for SQLite, a copy of the migrated one of the run."""
    if stack.database_url:
        migrate(stack)
        return
    stack.data.mkdir(parents=True, exist_ok=True)
    shutil.copy(migrated_database(), stack.data / DATABASE)


@contextmanager
def organizer(stack: Stack, max_shards: int = 1) -> Iterator[subprocess.Popen[str]]:
    """The process that answers `Server.ask`."""
    stack.logs.mkdir(parents=True, exist_ok=True)  # a chaos run keeps its own elsewhere
    argv, pipe = [sys.executable, "-m", "tests.organizer"], subprocess.PIPE
    env = {**os.environ, **stack.env, "MAX_SHARDS": str(max_shards)}
    with (
        (stack.logs / "organizer.log").open("w") as log,
        subprocess.Popen(argv, cwd=ROOT, env=env, stdin=pipe, stdout=pipe, stderr=log, text=True) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """One running stack per ASGI server for the whole run, started on first use.

    It has one scheduler and no analyzer, since the analysis of every match would take much of the run.
    """
    with ExitStack() as running:

        def start(name: str) -> Server:
            data = tmp_path_factory.mktemp(name)
            return running.enter_context(running_server(data, name, analyzes=False, schedulers=1))

        yield cache(start)


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest, servers: Callable[[str], Server]) -> Server:
    """The shared stack. A test that kills its processes uses its own `running_server`."""
    return servers(getattr(request, "param", SERVERS[0]))


def spread_over_asgi_servers(metafunc: pytest.Metafunc, both: bool) -> None:
    """Run tests that use `server` on the first of SERVERS, or if `both` is set on each."""
    if "server" in metafunc.fixturenames:
        names = ASGI_SERVERS_TESTED if both else SERVERS[:1]
        metafunc.parametrize("server", names, indirect=True, scope="session")

"""The stored data of a release, and a server that starts with it."""

import gzip
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psycopg
from redis import Redis

from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import migrate, start_ballot_box, start_services, wait_for_pages
from crowdgame.server.laptop.supervisor import Supervisor
from tests.run_folder import DATABASE
from tests.server import Server, organizer

Engine = Literal["sqlite", "postgres"]
# Ballot box: key, field, value. Keys in a copy of Valkey's own files would expire at fixed times.
Box = dict[str, dict[Any, Any]]
FOLDER = Path(__file__).parent
# psql's own commands, which only some versions of pg_dump write.
PSQL_COMMAND = re.compile(r"^\\.*\n", re.MULTILINE)
# Red wins with four in column 1. Of the running match, PLAYED turns are over.
MATCH = [(1, 2), (1, 3), (2, 3), (1, 6), (1, 6)]
PLAYED = 2
# How long turns stay open after the upgrade. Starting the services takes some of it.
OPEN_MS, DUEL_MS = 12_000, 60_000
PLAYING = """SELECT e.id, e.code, e.is_duel FROM games_event e
JOIN games_match m ON m.event_id = e.id WHERE m.state = 'playing'"""


@dataclass(frozen=True, slots=True)
class Codes:
    """Join codes of the events in the data."""

    running: str = "RNNG"
    finished: str = "FNSH"


CODES = Codes()


@dataclass(frozen=True, slots=True)
class Release:
    """The data of one release in a folder of this name."""

    name: str

    def write(self, engine: Engine, sql: str, box: Box) -> None:
        self._path("").mkdir(exist_ok=True)
        # Without a time of writing, equal data gives equal files.
        self._path(f"{engine}.sql.gz").write_bytes(gzip.compress(sql.encode(), mtime=0))
        self._path(f"{engine}.json").write_text(json.dumps(box, indent=1) + "\n")

    def load_database(self, stack: Stack) -> None:
        sql = gzip.decompress(self._path(f"{_engine(stack)}.sql.gz").read_bytes()).decode()
        if stack.database_url:
            with psycopg.connect(stack.database_url, autocommit=True) as connection:
                connection.execute(PSQL_COMMAND.sub("", sql).encode())
        else:
            stack.data.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(stack.data / DATABASE)) as database:
                database.executescript(sql)

    def load_box(self, stack: Stack) -> None:
        with Redis.from_url(stack.redis) as redis:
            for key, fields in self.box(stack).items():
                redis.hset(key, mapping=fields)

    def box(self, stack: Stack) -> Box:
        box: Box = json.loads(self._path(f"{_engine(stack)}.json").read_text())
        return box

    def _path(self, name: str) -> Path:
        return FOLDER / self.name / name


def _engine(stack: Stack) -> Engine:
    return "postgres" if stack.database_url else "sqlite"


RELEASES = [Release(path.parent.name) for path in sorted(FOLDER.glob("*/sqlite.sql.gz"))]


@contextmanager
def upgraded_server(release: Release, data: Path, database_url: str = "") -> Iterator[Server]:
    """Run this version with the data of a release. Its open turns close after OPEN_MS or DUEL_MS."""
    stack = Stack(
        data=data,
        secret_key="of the tests",
        port=free_port(),
        valkey_port=free_port(),
        database_url=database_url,
    )
    with Supervisor(stack.logs) as supervisor:
        start_ballot_box(stack, supervisor)
        release.load_database(stack)
        release.load_box(stack)
        migrate(stack)
        with organizer(stack) as process:
            server = Server(stack, supervisor, process)
            for event_id, code, is_duel in server.rows(PLAYING):
                if is_duel:
                    server.ask("run_down_clock", code=code, ms=DUEL_MS)
                else:
                    server.ask("close_after", event_id=event_id, ms=OPEN_MS)
            start_services(stack, supervisor)
            wait_for_pages(stack, supervisor)
            try:
                yield server
            finally:
                supervisor.stop(within_s=0)

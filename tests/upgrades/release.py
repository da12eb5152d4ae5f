"""The stored data of a release, a server that starts with it, and what must hold then."""

import gzip
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import psycopg
from redis import Redis

from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import manage, migrate
from crowdgame.server.laptop.supervisor import Supervisor
from tests.crowd_helpers import assert_counts_are_of_sealed_ballots, resolved_turns, sealed_ballots
from tests.deploy.processes import wait_until
from tests.run_folder import DATABASE
from tests.server import Server, organizer, running_parts
from tests.socket_clients import open_clients
from tests.voting.open_turn import vote
from tests.voting.verifiers import theirs
from voting.ballot_box.box_types import turn_keys

# Join codes of the events in the data.
RUNNING, FINISHED = "RNNG", "FNSH"
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
EVENTS = "SELECT id, code, is_duel FROM games_event"
KEYS = """SELECT code FROM voting_ticket WHERE event_id = ? AND voter NOT IN
(SELECT voter FROM voting_storedballot b JOIN games_turn t ON t.id = b.turn_id
JOIN games_match m ON m.id = t.match_id WHERE m.event_id = ?)"""
GRANTS = """SELECT DISTINCT c.app_label FROM auth_user_user_permissions g
JOIN auth_permission p ON p.id = g.permission_id JOIN django_content_type c ON c.id = p.content_type_id"""
RUN_SQL = """from django.db import connection
with connection.cursor() as cursor:
    cursor.execute({!r})
    print(cursor.description and cursor.fetchall())"""
EVENT_OF_DUEL = "UPDATE games_event SET is_casual = true, rematch_wanted_by = 2 WHERE is_duel"
DUEL = "SELECT CASE WHEN casual THEN 'casual' ELSE 'rated' END, rematch_wanted_by FROM duels_duel"
ENTRIES = """INSERT INTO events_auditentry (event_id, "by", action, what, undone, at)
SELECT min(id), {!r}, 'event.edit', '', false, {} FROM games_event"""
USERS = """SELECT a."by", u.username FROM events_auditentry a LEFT JOIN auth_user u ON u.id = a.user_id
WHERE a.action = 'event.edit' ORDER BY a.id"""
GUEST = """INSERT INTO accounts_guest (number, came_at, name, name_key, password)
VALUES ({}, '2026-11-25', {!r}, {!r}, 'of the release')"""
GUESTS = """SELECT g.name, g.name_skeleton, u.username, u.password FROM accounts_guest g
JOIN auth_user u ON u.id = g.user_id WHERE g.number < 2010 ORDER BY g.number"""
LATER_MS = 4_102_444_800_000  # than any account was made
RESULTS = "SELECT result FROM games_match WHERE event_id = ? ORDER BY number"


class Release(NamedTuple):
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
    stack = Stack(data=data, secret_key="of the tests", port=free_port(), valkey_port=free_port())
    stack = replace(stack, database_url=database_url)

    def upgrade(stack: Stack) -> None:
        release.load_database(stack)
        with Redis.from_url(stack.redis) as redis:
            for key, fields in release.box(stack).items():
                redis.hset(key, mapping=fields)
        migrate(stack)
        for event_id, code, is_duel in server.rows(PLAYING):
            if is_duel:
                server.ask("run_down_clock", code=code, ms=DUEL_MS)
            else:
                server.ask("close_after", event_id=event_id, ms=OPEN_MS)

    with organizer(stack) as process:
        server = Server(stack, Supervisor(stack.logs), process)  # nothing runs yet
        with running_parts(stack, fill=upgrade) as server.supervisor:
            yield server


# ------------------------------------------------------------------ what must hold after an upgrade
def assert_upgraded(server: Server, release: Release, folder: Path) -> None:
    ids = {code: event_id for event_id, code, _ in server.rows(EVENTS)}
    turn = wait_for_resolved(server, ids[RUNNING], PLAYED + 1)[-1]
    kept = release.box(server.stack)[turn_keys(ids[RUNNING], turn)[1]]
    assert sealed_ballots(server, turn).keys() == kept.keys()
    server.ask("play_to", event_id=ids[RUNNING], picks=MATCH[PLAYED + 1 :])
    for code in (RUNNING, FINISHED):
        assert server.rows(RESULTS, ids[code]) == [("red",)]
        record = folder / f"{code}.json"
        server.ask("command", words=["export", code, "--output", str(record)])
        status, output = theirs(record.read_bytes(), record)
        assert status == 0, output
    assert_duel_goes_on(server)
    assert server.rows(GRANTS) == [("voting",)]
    assert_counts_are_of_sealed_ballots(server)
    for part in ("gateway", "worker", "scheduler-1"):
        assert server.log_errors(part) == []


def assert_duel_goes_on(server: Server) -> None:
    """The player who had not voted votes; both ballots count."""
    ((duel, code),) = ((event_id, code) for event_id, code, is_duel in server.rows(EVENTS) if is_duel)
    (waiting,) = (key for (key,) in server.rows(KEYS, duel, duel))
    with open_clients(server) as clients:
        player, welcome = clients.phone(code, key=waiting)
        vote(player, welcome["state"]["match"]["turn"]["id"])
    (turn,) = wait_for_resolved(server, duel, 1)
    assert len(sealed_ballots(server, turn)) == 2


def assert_columns_kept(stack: Stack) -> None:
    """A duel takes over from its event, and audit entries get the user who had the name at the time.

    Guests with a password become users, also if their name is taken or looks like another.
    """
    RELEASES[0].load_database(stack)
    for number, name in enumerate(("Bob", "B0b", "Olga"), 2001):
        _run_sql(stack, GUEST.format(number, name, name.lower()))
    manage(stack, "migrate", "migrate", "voting", "0037")
    _run_sql(stack, EVENT_OF_DUEL)
    for name, at in (("olga", 1), ("olga", LATER_MS), ("ada", LATER_MS)):
        _run_sql(stack, ENTRIES.format(name, at))
    migrate(stack)
    guests = [("Bob", "bob", "bob"), ("B0b", None, "b0b"), ("Olga", "olga", "olga2003")]
    assert _run_sql(stack, GUESTS).strip() == str([(*guest, "of the release") for guest in guests])
    assert _run_sql(stack, DUEL).strip() == "[('casual', 2)]"
    assert _run_sql(stack, USERS).strip() == "[('olga', None), ('olga', 'olga'), ('ada', None)]"


def _run_sql(stack: Stack, sql: str) -> str:
    return manage(stack, "run SQL", "shell", "--verbosity", "0", "--command", RUN_SQL.format(sql))


def wait_for_resolved(server: Server, event_id: int, number: int) -> list[int]:
    wait_until(lambda: len(resolved_turns(server, event_id)) >= number, 2 * OPEN_MS / 1000)
    return resolved_turns(server, event_id)[:number]

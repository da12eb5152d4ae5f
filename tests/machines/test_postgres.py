import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from crowdgame.maintenance.postgres_copies import postgres_copies
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.web.page_queue import MAX_PAGES
from tests.crowd_helpers import during_window, vote_during
from tests.deploy.processes import wait_until
from tests.hardening import test_floods as floods
from tests.machines.postgres import Postgres, running_postgres
from tests.monitoring.probes import ask
from tests.restore_helpers import Lost, RestoredEvent, RestoreTests, lose_event, restored_event
from tests.server import Server, running_server
from tests.socket_clients import open_clients
from tests.upgrades.release import RELEASES, Release, assert_columns_kept, assert_upgraded, upgraded_server

DATABASE_TESTS = {
    "voting": "matches models",
    "voting/announcements": "announcements snapshots",
    "voting/ballot_box": "archive",
    "voting/records": "dishonest_server match_record record_history record_property",
    "voting/turns": "closing demo large_turns match_course scheduler scheduler_faults turn_crashes",
    "crowdgame/accounts": "logins",
    "crowdgame/events": "console_pages event_edit event_form",
    "crowdgame/organizer/console": "control turn_time",
    "crowdgame/play/duels": "conditional_picks duel_page",
    "crowdgame/results/analysis": "analyzer",
    "crowdgame/results/reports": "analysis_pages match_roots report report_pages",
    "crowdgame/server/web": "admin",
}
PARTS = ("gateway", "worker", "scheduler-1", "scheduler-2")
OUTAGE_S = 3.0


def run_tests(database_url: str, *arguments: str) -> int:
    """Run pytest on this server, in a separate test database; return how many tests passed, if all did."""
    env = {**os.environ, "DATABASE_URL": database_url, "DATABASE_POOL": "16"}
    pytest_argv = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    for argv in (["manage.py", "migrate", "-v", "0"], pytest_argv):
        command = [sys.executable, *argv]
        done = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
    (passed,) = re.findall(r"(\d+) passed", done.stdout)
    return int(passed)


def test_postgres_passes_the_database_tests(database_url: str) -> None:
    files = [f"tests/{at}/test_{name}.py" for at, names in DATABASE_TESTS.items() for name in names.split()]
    assert run_tests(database_url, *files) > 200


def test_postgres_passes_the_concurrency_tests(database_url: str) -> None:
    assert run_tests(database_url, "tests/machines/races.py") > 14


@pytest.fixture
def flooded(tmp_path: Path, database_url: str) -> Iterator[Server]:
    with running_server(tmp_path, database_url=database_url) as server:
        yield server


def test_login_flood_leaves_connections_to_new_events(flooded: Server) -> None:
    codes = [flooded.ask("event", lobby="open")["code"] for _ in range(6)]
    with floods.login_flood(flooded) as replies, open_clients(flooded) as clients:
        for code in codes:
            clients.phone(code)
    floods.assert_flood_is_limited(flooded, replies)


def test_pages_work_during_a_flood_of_logins(flooded: Server) -> None:
    floods.assert_pages_work_during_flood(flooded)


def test_simultaneous_new_games_do_not_exceed_the_limit_of_a_network(flooded: Server) -> None:
    floods.assert_network_has_its_games_only(flooded)


def test_blocked_pages_leave_connections_to_new_events(flooded: Server) -> None:
    """All pages that a gateway renders at a time wait for a lock, and others for them."""
    code, cookie = flooded.ask("event", lobby="open")["code"], {"Cookie": f"sessionid={'s' * 32}"}
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'django_session'::regclass"
    with psycopg.connect(flooded.stack.database_url) as lock, ThreadPoolExecutor(12) as threads:
        lock.execute("LOCK TABLE django_session")
        pages = [threads.submit(ask, flooded, "/console/", cookie) for _ in range(12)]
        wait_until(lambda: flooded.rows(waiting) == [(MAX_PAGES,)])
        with open_clients(flooded) as clients:
            clients.phone(code)
        lock.rollback()
        statuses = [page.result().status for page in pages]
    assert set(statuses) <= {302, 503}
    assert statuses.count(302) >= MAX_PAGES


def test_outage_disconnects_no_phone_and_restarts_no_process(tmp_path: Path) -> None:
    """PostgreSQL is restarted, and in a later turn stopped for a while. Processes replace connections."""
    with (
        running_postgres() as postgres,
        running_server(tmp_path, database_url=postgres.new_database()) as server,
    ):
        parts = {part: server.supervisor.pid(part) for part in PARTS}

        def fail(event: int) -> list[int]:
            with during_window(server, event) as restarted_in:
                postgres.restart()
            with during_window(server, event) as away_in:
                postgres.stop()
                time.sleep(OUTAGE_S)  # the outage itself
                postgres.start()
            return [restarted_in, away_in]

        assert vote_during(fail, server).reconnects == 0
        assert {part: server.supervisor.pid(part) for part in PARTS} == parts
    assert not (tmp_path / "db.sqlite3").exists()


def everything(stack: Stack) -> None:
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")


def nothing(stack: Stack) -> None:
    """Keep the database with the turns that the restore replaces."""
    with psycopg.connect(stack.database_url) as connection:
        assert connection.execute("SELECT id FROM games_turn").fetchall()


@pytest.fixture(scope="module")
def lost(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Lost:
    return lose_event(tmp_path_factory.mktemp("lost"), postgres.new_database())


@pytest.fixture(scope="module", params=[everything, nothing], ids=lambda lose: lose.__name__)
def restored(
    request: pytest.FixtureRequest, lost: Lost, postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RestoredEvent]:
    database_url = postgres.new_database(template=lost.stack.database_url.rpartition("/")[2])
    copy = lost.copied(tmp_path_factory.mktemp("restore") / "data", database_url)
    request.param(copy.stack)
    with restored_event(copy) as restored:
        yield restored


class TestOnPostgres(RestoreTests):
    def test_restore_creates_no_sqlite_file(self, restored: RestoredEvent) -> None:
        assert not (restored.server.stack.data / "db.sqlite3").exists()


# Its scripts have a setting that older servers do not have.
PG_RESTORE_17 = """#!/bin/sh
PATH=${PATH#*:}
pg_restore "$@"
sed -i '/^SET lock_timeout/a SET transaction_timeout = 0;' "${5#--file=}"
"""


def test_restore_removes_tables_of_a_later_version_only(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "pg_restore").write_text(PG_RESTORE_17)
    (tmp_path / "pg_restore").chmod(0o755)
    copies = postgres_copies(conninfo_to_dict(database_url))
    with psycopg.connect(database_url, autocommit=True) as database:
        database.execute("CREATE TABLE django_migrations AS SELECT 'voting' AS app")
        database.execute("CREATE TABLE games_event (id bigint PRIMARY KEY)")
        copies.save(tmp_path / "copy")
        database.execute("CREATE TABLE voting_later (event_id bigint REFERENCES games_event)")
        database.execute("CREATE TABLE of_another_program (id bigint)")
        copies.load(tmp_path / "copy", tmp_path / "aside", ["SELECT 1"], lambda: None)
        tables = database.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        assert [name for (name,) in tables] == ["django_migrations", "games_event", "of_another_program"]


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_running_matches_survive_upgrade(release: Release, tmp_path: Path, database_url: str) -> None:
    with upgraded_server(release, tmp_path / "data", database_url) as server:
        assert_upgraded(server, release, tmp_path)


def test_columns_are_carried_over(tmp_path: Path, database_url: str) -> None:
    stack = Stack(data=tmp_path, secret_key="of the tests", port=0, database_url=database_url)
    assert_columns_kept(stack)

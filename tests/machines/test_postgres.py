"""PostgreSQL: the database tests, concurrent operations, and a server that stops during a window."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from deploy.laptop.paths import ROOT
from tests.crowd_helpers import BRISK, PHONES, TIMEOUT_S, crowd, leave, resolve_another, turn_with_ballots
from tests.deploy.processes import wait_until
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
)
from tests.machines.postgres import running_postgres
from tests.server import Server, running_server

DATABASE_TESTS = [
    "games/test_matches.py",
    "games/test_models.py",
    "crowdgame/accounts/test_login_links.py",
    "crowdgame/console/test_control.py",
    "crowdgame/console/test_control_time.py",
    "crowdgame/console/test_control_void.py",
    "crowdgame/events/test_console_pages.py",
    "crowdgame/events/test_event_form.py",
    "crowdgame/reports/test_report.py",
    "crowdgame/reports/test_report_pages.py",
    "crowdgame/web/test_admin.py",
    "voting/announcements/test_announcements.py",
    "voting/announcements/test_last_announcement.py",
    "voting/announcements/test_snapshots.py",
    "voting/ballot_box/test_archive.py",
    "voting/records/test_imports.py",
    "voting/turns/test_closing.py",
    "voting/turns/test_demo.py",
    "voting/turns/test_match_course.py",
    "voting/turns/test_retry_book.py",
    "voting/turns/test_scheduler.py",
    "voting/turns/test_turn_crashes.py",
]
AWAY_S = 3.0
PARTS = ("gateway", "worker", "scheduler-1", "scheduler-2")


def run_tests(database_url: str, *arguments: str) -> str:
    """Run pytest on this server (in a separate test database); return the output if all tests passed."""
    env = {**os.environ, "DATABASE_URL": database_url, "DATABASE_POOL": "16"}
    for argv in (
        ["manage.py", "migrate", "-v", "0"],
        ["-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
    ):
        done = subprocess.run(
            [sys.executable, *argv], cwd=ROOT, env=env, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
    return done.stdout


def passed(output: str) -> int:
    found = re.search(r"(\d+) passed", output)
    return int(found[1]) if found else 0


def test_postgres_passes_the_database_tests(database_url: str) -> None:
    assert passed(run_tests(database_url, *(f"tests/{name}" for name in DATABASE_TESTS))) > 200


def test_postgres_passes_the_concurrency_tests(database_url: str) -> None:
    assert passed(run_tests(database_url, "tests/machines/races.py")) > 20


@dataclass
class FailoverRun:
    """The result of voting while PostgreSQL was restarted, then stopped for a while."""

    server: Server
    event: int
    report: RehearsalReport
    restarted_in: int
    away_in: int
    parts: dict[str, int | None]


@pytest.fixture(scope="module")
def failover(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FailoverRun]:
    """Uses its own server, since it stops it."""
    data = tmp_path_factory.mktemp("postgres")
    with running_postgres() as postgres, running_server(data, database_url=postgres.new_database()) as server:
        event = server.ask("event", **BRISK)
        parts = {part: server.supervisor.pid(part) for part in PARTS}
        with crowd(server, event["code"], data) as phones:
            server.ask("begin", event_id=event["id"])
            restarted_in = turn_with_ballots(server, event["id"])
            postgres.restart()
            wait_until(lambda: restarted_in in resolved_turns(server, event["id"]), TIMEOUT_S)
            away_in = turn_with_ballots(server, event["id"])
            postgres.stop()
            time.sleep(AWAY_S)
            postgres.start()
            wait_until(lambda: away_in in resolved_turns(server, event["id"]), TIMEOUT_S)
            resolve_another(server, event["id"])
            report = leave(phones, data)
        resolve_another(server, event["id"])  # the turn that was open when the crowd left
        yield FailoverRun(server, event["id"], report, restarted_in, away_in, parts)


def test_postgres_outage_turns_are_resolved(failover: FailoverRun) -> None:
    resolved = resolved_turns(failover.server, failover.event)
    assert {failover.restarted_in, failover.away_in} <= set(resolved)
    assert failover.restarted_in != failover.away_in
    assert_resolved_once(failover.server, failover.event)
    assert_counts_are_of_sealed_ballots(failover.server)


def test_postgres_outage_loses_no_ballot(failover: FailoverRun) -> None:
    assert {failover.restarted_in, failover.away_in} <= set(failover.report.ledger)
    assert_nothing_is_lost(failover.server, failover.report, resolved_turns(failover.server, failover.event))
    assert failover.report.ballots.acknowledged > PHONES * 2


def test_postgres_outage_disconnects_no_phone_and_restarts_no_process(failover: FailoverRun) -> None:
    """Processes replace broken connections without a restart."""
    assert (failover.report.reconnects, failover.report.unreadable) == (0, 0)
    assert {part: failover.server.supervisor.pid(part) for part in PARTS} == failover.parts


def test_postgres_holds_all_data(failover: FailoverRun) -> None:
    held = failover.server.contents()
    assert {"games_turn", "voting_tallyrecord", "voting_announcement"} <= set(held)
    assert not (Path(failover.server.stack.data) / "db.sqlite3").exists()

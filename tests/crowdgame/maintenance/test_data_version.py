import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.db.migrations.recorder import MigrationRecorder

from crowdgame.maintenance import data_version
from crowdgame.server.laptop.paths import ROOT

MANAGE = [str(ROOT / "manage.py")]
CELERY = ["-m", "celery", "-A", "crowdgame", "worker", "--pool", "solo"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a database as 0.1 left it: its migrations are on record."""
    with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as database, database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE django_migrations (id integer PRIMARY KEY, app, name, applied)")
        insert = "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2026-01-01')"
        database.executemany(insert, [("games", "0001_initial"), data_version.ONLY_IN_0_1])
    return tmp_path


@pytest.mark.parametrize(
    "argv",
    [[*MANAGE, "migrate"], [*MANAGE, "gateway", "--port", "0"], [*MANAGE, "scheduler"], CELERY],
    ids=["migrate", "gateway", "scheduler", "worker"],
)
def test_data_of_0_1_is_refused_unchanged(folder: Path, argv: list[str], valkey_url: str) -> None:
    before = (folder / "db.sqlite3").read_bytes()
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "crowdgame.settings", "DATABASE_URL": ""}
    env["CROWDGAME_DATA"] = str(folder)
    command = [sys.executable, *argv]
    ended = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert data_version.REFUSAL in ended.stderr
    assert "Traceback" not in ended.stderr
    assert (folder / "db.sqlite3").read_bytes() == before


@pytest.mark.django_db
def test_data_of_a_newer_version_or_with_some_of_the_merged_migrations_is_refused() -> None:
    MigrationRecorder.Migration.objects.create(app="auth", name="9999_newer")
    data_version.refuse_newer_data()
    MigrationRecorder.Migration.objects.create(app="voting", name="9999_newer")
    with pytest.raises(CommandError, match=data_version.NEWER):
        data_version.refuse_newer_data()
    recorded = MigrationRecorder.Migration.objects
    data_version.refuse_unreleased_data()
    recorded.filter(app="voting", name__gt="0004_hide_drops").delete()
    recorded.create(app="voting", name="0004_hide_drops")
    data_version.refuse_unreleased_data()
    recorded.create(app="voting", name="0020_listed_seals")
    with pytest.raises(CommandError, match=data_version.UNRELEASED):
        data_version.refuse_unreleased_data()

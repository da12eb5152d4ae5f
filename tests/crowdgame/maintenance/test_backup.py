import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from crowdgame.maintenance.backup_file import BackupError, extract_database, read_manifest
from crowdgame.server.laptop.network import free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE, Stack
from crowdgame.server.laptop.startup import start_ballot_box
from crowdgame.server.laptop.supervisor import Supervisor
from tests.commands import Commands, commands
from tests.server import give_database
from voting.ballot_box.stores import connect

MANIFEST = "manifest.json"
START = (
    "from tests.voting.match_helpers import start; "
    "from voting.ballot_box.ballot_box import BallotBox; turn = start(BallotBox()); "
    "print(turn.pk, turn.match_id, turn.match.event_id)"
)


@dataclass(frozen=True)
class Installation:
    """A new database and an empty ballot box, both unused. `kept` holds a copy and a backup."""

    stack: Stack
    commands: Commands
    kept: Path

    @property
    def database(self) -> Path:
        return self.stack.data / "db.sqlite3"

    def backed_up(self, folder: Path) -> Path:
        return Path(shutil.copy(self.kept / "backup", folder / "event.backup"))

    def restore(self, path: Path, *words: str, typed: str = "") -> int:
        return self.commands.run("restore", str(path), *words, typed=typed).returncode

    def refused(self, path: Path) -> str:
        """Why this backup is not restored. The database stays unchanged."""
        before = self.database.read_bytes()
        result = self.commands.run("restore", str(path), "--yes")
        assert result.returncode != 0, result.stdout
        assert "Traceback" not in result.stderr
        assert self.database.read_bytes() == before
        return result.stderr


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    data, kept = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("kept")
    stack = Stack(data=data, secret_key="of the tests", port=0, valkey_port=free_port())
    with Supervisor(stack.logs) as supervisor:
        start_ballot_box(stack, supervisor)
        give_database(stack)
        with commands(stack, kept) as running_commands:
            installation = Installation(stack, running_commands, kept)
            assert running_commands.run("backup", str(kept / "backup")).returncode == 0
            shutil.copy(installation.database, kept / "database")
            yield installation


@pytest.fixture
def installation(shared: Installation) -> Installation:
    for path in shared.stack.data.iterdir():
        if path.is_file():
            path.unlink()
    for folder in shared.stack.data.glob("before-restore-*"):
        shutil.rmtree(folder)
    shutil.copy(shared.kept / "database", shared.database)
    with connect(shared.stack.redis) as redis:
        redis.flushall()
    return shared


def manage(stack: Stack, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **stack.env}
    return subprocess.run([*MANAGE, *words], cwd=ROOT, env=env, check=False, capture_output=True, text=True)


def changed(path: Path, database: bytes | None = None, **manifest_changes: Any) -> Path:
    """The same backup with a changed manifest or other database bytes."""
    target = path.with_name("changed")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as archive:
        archive.writestr(MANIFEST, json.dumps(json.loads(source.read(MANIFEST)) | manifest_changes))
        archive.writestr("database", source.read("database") if database is None else database)
    return target


def test_backup_is_one_private_file_kept_on_failure(installation: Installation, tmp_path: Path) -> None:
    path = tmp_path / "event.backup"
    assert installation.commands.run("backup", str(path)).returncode == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = json.loads(zipfile.ZipFile(path).read(MANIFEST))
    assert (content["format"], content["engine"]) == ("crowdgame backup 1", "sqlite")
    assert "0001_initial" in content["migrations"]["voting"]
    before = path.read_bytes()
    installation.database.write_bytes(b"no database")
    assert installation.commands.run("backup", str(path)).returncode != 0
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("included", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_backup_has_secret_key_if_asked(installation: Installation, tmp_path: Path, included: bool) -> None:
    path, key = tmp_path / "event.backup", installation.stack.secret_key
    result = installation.commands.run("backup", str(path), *["--with-secret-key"] * included)
    assert ("SECRET_KEY is included." if included else "SECRET_KEY is not included.") in result.stdout
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert [name for name, content in held.items() if key.encode() in content] == ["secret_key"] * included
    assert held.get("secret_key", key.encode()) == key.encode()

    same = installation.commands.run("restore", str(path), "--yes")
    assert "SECRET_KEY" not in same.stdout
    other = manage(replace(installation.stack, secret_key="another"), "restore", str(path), "--yes")
    assert "SECRET_KEY differs" in other.stdout
    assert ("unzip -p" in other.stdout) == included
    env = {**os.environ, **installation.stack.env, "CROWDGAME_ENV": str(tmp_path / "crowdgame.env")}
    (tmp_path / "crowdgame.env").write_text(f"SECRET_KEY={key}\n")
    command = [str(ROOT / "deploy/server/backup.sh"), str(tmp_path / "backups")]
    subprocess.run([*command, *["--with-secret-key"] * included], env=env, check=True)
    (nightly,) = (tmp_path / "backups").glob("*/*")
    assert nightly.name == "crowdgame.backup"
    with zipfile.ZipFile(nightly) as archive:
        contents = [archive.read(name) for name in archive.namelist()]
    assert any(key.encode() in content for content in contents) == included


def test_restore_refuses_incompatible_or_torn_backup(installation: Installation, tmp_path: Path) -> None:
    path = installation.backed_up(tmp_path)
    content = json.loads(zipfile.ZipFile(path).read(MANIFEST))["migrations"]
    newer = changed(path, migrations=content | {"voting": [*content["voting"], "0099_later"]})
    assert "newer version, which has voting 0099_later" in installation.refused(newer)
    older = changed(path, migrations=content | {"voting": content["voting"][:-1]})
    assert f"older version, which lacks voting {content['voting'][-1]}" in installation.refused(older)
    assert "backup of postgresql" in installation.refused(changed(path, engine="postgresql"))
    assert "crowdgame backup 9" in installation.refused(changed(path, format="crowdgame backup 9"))
    for unreadable in (b"something else", path.read_bytes()[:-400]):
        (tmp_path / "unreadable").write_bytes(unreadable)
        assert "cannot be read" in installation.refused(tmp_path / "unreadable")
    separate = {app: [name for name in names if "squashed" not in name] for app, names in content.items()}
    assert separate != content
    assert installation.restore(changed(path, migrations=separate), "--yes") == 0


def test_restore_asks_first_and_refuses_database_in_use(installation: Installation, tmp_path: Path) -> None:
    path = installation.backed_up(tmp_path)
    # Another process opens the database. Reading the file in this one would release SQLite's locks.
    script = (
        "import sqlite3, sys; database = sqlite3.connect(sys.argv[1]); "
        "database.execute('PRAGMA journal_mode=WAL'); "
        "database.execute('SELECT * FROM games_event').fetchall(); print('open', flush=True); input()"
    )
    argv, pipe = [sys.executable, "-c", script, str(installation.database)], subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        assert "Stop everything first" in installation.refused(path)
        holder.communicate("\n")
    with connect(installation.stack.redis) as redis:
        redis.hset("crowdgame:{7}:gateways", "one", f"{time.time() * 1000:.0f} 0 0 0 0")
        result = installation.commands.run("restore", str(path), "--yes")
        assert (result.returncode != 0, "a gateway with voters of event 7" in result.stderr) == (True, True)
        redis.flushall()
    for typed in ("no\n", ""):
        result = installation.commands.run("restore", str(path), typed=typed)
        assert result.returncode != 0
        assert "Nothing was restored." in result.stderr
    assert list(installation.stack.data.glob("before-restore-*")) == []
    assert installation.restore(path, typed="yes\n") == 0
    assert len(list(installation.stack.data.glob("before-restore-*"))) == 1


@pytest.mark.nightly
def test_restore_refuses_unreachable_ballot_box(installation: Installation, tmp_path: Path) -> None:
    path = installation.backed_up(tmp_path)
    away = replace(installation.stack, valkey_port=free_port(), data=tmp_path / "new")
    away.data.mkdir()
    result = manage(away, "restore", str(path), "--yes")
    assert "the ballot box does not respond" in result.stderr
    assert manage(away, "restore", str(path), "--yes", "--box-is-empty").returncode == 0
    assert stat.S_IMODE((away.data / "db.sqlite3").stat().st_mode) == 0o600


def test_restore_of_damaged_backup_changes_nothing(installation: Installation, tmp_path: Path) -> None:
    """Both the database and the ballots of open turns, which only the ballot box holds, stay unchanged."""
    path, redis = installation.backed_up(tmp_path), connect(installation.stack.redis)
    redis.hset("crowdgame:{7}:ballots3:9", "v1", "a ballot")
    database = zipfile.ZipFile(path).read("database")
    assert installation.restore(path, typed="no\n") != 0  # takes the database out of WAL mode
    holed = database[:4096] + b"\xff" * 8192 + database[12288:]
    for spoilt in (b"no database", database[:6000], holed):
        assert "is damaged" in installation.refused(changed(path, spoilt))
        assert redis.exists("crowdgame:{7}:ballots3:9")
    assert not [*installation.stack.data.glob("*restore*"), *installation.stack.data.glob(".*")]
    assert installation.restore(path, "--yes") == 0
    assert not redis.exists("crowdgame:{7}:ballots3:9")
    redis.close()


def test_backup_with_changed_byte_is_refused_or_identical(installation: Installation, tmp_path: Path) -> None:
    path, wrong, taken = installation.backed_up(tmp_path), tmp_path / "wrong", tmp_path / "taken"
    whole, rng, refusals = path.read_bytes(), Random(4), 0
    extract_database(path, tmp_path / "right")
    for _ in range(400):
        at = rng.choice([rng.randrange(600), rng.randrange(len(whole)), len(whole) - 1 - rng.randrange(400)])
        wrong.write_bytes(whole[:at] + bytes([whole[at] ^ rng.randrange(1, 256)]) + whole[at + 1 :])
        try:
            read_manifest(wrong)
            extract_database(wrong, taken)
            assert taken.read_bytes() == (tmp_path / "right").read_bytes()
        except BackupError:
            refusals += 1
    assert refusals > 200


def test_restore_goes_on_after_used_ids_without_sessions(installation: Installation, tmp_path: Path) -> None:
    path, before = tmp_path / "event.backup", tmp_path / "before"
    with closing(sqlite3.connect(installation.database)) as connection, connection:
        connection.execute("INSERT INTO django_session VALUES ('ended', '', '2099-01-01 00:00:00')")
    assert installation.commands.run("shell", "--no-imports", "-c", START).returncode == 0
    assert installation.commands.run("backup", str(path)).returncode == 0
    extract_database(path, before)
    assert "Turns to vote again: 1." in installation.commands.run("restore", str(path), "--yes").stdout

    def row(database: Path, sql: str) -> Any:
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute(sql).fetchone()

    seeds, numbers = "SELECT seed, next_seed FROM games_turn, games_event", "SELECT version, epoch, seq"
    numbers += " FROM games_turn, games_event"
    old, new = ([*row(file, seeds), *row(file, numbers)] for file in (before, installation.database))
    assert not set(old[:2]) & set(new[:2])
    assert all(later >= earlier + 1_000 for earlier, later in zip(old[2:], new[2:], strict=True))
    ids = "SELECT min(seq) FROM sqlite_sequence WHERE name IN ('games_turn', 'accounts_guest', 'auth_user')"
    assert row(installation.database, ids)[0] > 1_000_000
    left = "SELECT (SELECT count(*) FROM voting_announcement), (SELECT max(key) FROM voting_loghead)"
    assert row(before, left)[0] > 0
    assert row(installation.database, left) == (0, "")
    sessions = "SELECT count(*) FROM django_session"
    assert (row(before, sessions), row(installation.database, sessions)) == ((1,), (0,))


@pytest.mark.nightly
def test_repeated_restores_never_reuse_ids(installation: Installation, tmp_path: Path) -> None:
    """After each restore the server continues, and its new rows are lost by the next restore."""
    path = installation.backed_up(tmp_path)
    given: list[list[int]] = []
    for _ in range(2):
        assert installation.restore(path, "--yes") == 0
        with connect(installation.stack.redis) as redis:
            assert list(redis.scan_iter(match="crowdgame:{*")) == []
            result = installation.commands.run("shell", "--no-imports", "-c", START)
            given.append([int(number) for number in result.stdout.split()])
            assert list(redis.scan_iter(match=f"crowdgame:{{{given[-1][2]}}}:box*"))
    assert all(later > earlier > 1_000_000 for earlier, later in zip(*given, strict=True))

"""A backup is one file that says what it is; what does not fit is not restored."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from deploy.laptop.network import free_port
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE, Stack
from deploy.laptop.startup import migrate, start_box
from deploy.laptop.supervisor import Supervisor
from voting.backup_file import BackupError, read_manifest, take_out
from voting.stores import connect

MANIFEST = "manifest.json"


@pytest.fixture(scope="module")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty one, migrated once for all."""
    stack = Stack(data=tmp_path_factory.mktemp("new"), secret_key="of the tests", port=0)
    stack.logs.mkdir(parents=True)
    migrate(stack)
    return stack.data / "db.sqlite3"


@pytest.fixture
def stack(tmp_path: Path, new_database: Path) -> Iterator[Stack]:
    """A database and a ballot box, and nobody who uses them."""
    stack = Stack(data=tmp_path / "data", secret_key="of the tests", port=0, valkey_port=free_port())
    with Supervisor(stack.logs) as supervisor:
        start_box(stack, supervisor)
        shutil.copy(new_database, stack.data / new_database.name)
        yield stack


def manage(stack: Stack, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **stack.env}
    return subprocess.run(
        [*MANAGE, *words], cwd=ROOT, env=env, check=False, capture_output=True, text=True, input=typed
    )


def backed_up(stack: Stack, path: Path) -> Path:
    done = manage(stack, "backup", str(path))
    assert done.returncode == 0, done.stderr
    return path


def refused(stack: Stack, *words: str) -> str:
    before = (stack.data / "db.sqlite3").read_bytes()
    done = manage(stack, "restore", *words)
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stderr
    assert (stack.data / "db.sqlite3").read_bytes() == before
    return done.stderr


def with_manifest(path: Path, **changes: Any) -> str:
    """The same backup, saying something else of itself."""
    changed = path.with_name("changed")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(changed, "w") as target:
        told = json.loads(source.read(MANIFEST)) | changes
        target.writestr(MANIFEST, json.dumps(told))
        target.writestr("database", source.read("database"))
    return str(changed)


def with_database(path: Path, database: bytes) -> str:
    """A whole file that holds another database."""
    changed = path.with_name("changed")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(changed, "w") as target:
        target.writestr(MANIFEST, source.read(MANIFEST))
        target.writestr("database", database)
    return str(changed)


def ballots_held(stack: Stack) -> int:
    with connect(stack.redis) as redis:
        return len(list(redis.scan_iter(match="crowdgame:{*}:ballots*")))


@contextmanager
def in_use(stack: Stack) -> Iterator[None]:
    """Another process has the database open: one that reads its file here would end SQLite's own locks."""
    script = (
        "import sqlite3, sys; database = sqlite3.connect(sys.argv[1]);"
        "print(database.execute('PRAGMA journal_mode=WAL').fetchone(), flush=True);"
        "database.execute('SELECT * FROM games_event').fetchall(); print('open', flush=True); input()"
    )
    argv = [sys.executable, "-c", script, str(stack.data / "db.sqlite3")]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as somebody:
        assert somebody.stdout is not None
        assert [somebody.stdout.readline() for _ in range(2)] == ["('wal',)\n", "open\n"]
        yield
        somebody.communicate("\n")


def manifest(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        told: dict[str, Any] = json.loads(archive.read(MANIFEST))
    return told


def test_it_is_one_file_for_its_owner_alone(stack: Stack, tmp_path: Path) -> None:
    path = backed_up(stack, tmp_path / "evening.backup")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data", "evening.backup"]
    told = manifest(path)
    assert (told["format"], told["engine"]) == ("crowdgame backup 1", "sqlite")
    assert "0003_counting" in told["migrations"]["voting"]


def test_one_that_fails_leaves_the_last_one_as_it_was(stack: Stack, tmp_path: Path) -> None:
    path = backed_up(stack, tmp_path / "evening.backup")
    before = path.read_bytes()
    (stack.data / "db.sqlite3").write_bytes(b"no database")
    done = manage(stack, "backup", str(path))
    assert done.returncode != 0
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data", "evening.backup"]


def test_what_does_not_fit_is_refused_in_words(stack: Stack, tmp_path: Path) -> None:
    path = backed_up(stack, tmp_path / "evening.backup")
    told = manifest(path)["migrations"]
    newer = with_manifest(path, migrations=told | {"voting": [*told["voting"], "0099_later"]})
    assert "newer version, with voting 0099_later" in refused(stack, newer, "--yes")
    older = with_manifest(path, migrations=told | {"voting": told["voting"][:-1]})
    assert "older version, without voting 0003_counting" in refused(stack, older, "--yes")
    assert "backup of postgresql" in refused(stack, with_manifest(path, engine="postgresql"), "--yes")
    assert "crowdgame backup 9" in refused(stack, with_manifest(path, format="crowdgame backup 9"), "--yes")
    (tmp_path / "other").write_bytes(b"something else")
    assert "cannot be read" in refused(stack, str(tmp_path / "other"), "--yes")
    cut = path.read_bytes()[:-400]
    (tmp_path / "cut").write_bytes(cut)
    assert "cannot be read" in refused(stack, str(tmp_path / "cut"), "--yes")


def test_it_asks_before_it_writes_over_anything(stack: Stack, tmp_path: Path) -> None:
    path = backed_up(stack, tmp_path / "evening.backup")
    done = manage(stack, "restore", str(path), typed="no\n")
    assert done.returncode != 0
    assert list(stack.data.glob("before-restore-*")) == []
    assert manage(stack, "restore", str(path), typed="yes\n").returncode == 0
    assert len(list(stack.data.glob("before-restore-*"))) == 1


def test_somebody_who_uses_the_database_is_not_robbed_of_it(stack: Stack, tmp_path: Path) -> None:
    path = backed_up(stack, tmp_path / "evening.backup")
    with in_use(stack):
        assert "Stop everything first" in refused(stack, str(path), "--yes")
    assert manage(stack, "restore", str(path), "--yes").returncode == 0


def test_a_box_that_is_away_is_not_taken_for_empty(stack: Stack, tmp_path: Path) -> None:
    path = backed_up(stack, tmp_path / "evening.backup")
    away = replace(stack, valkey_port=free_port(), data=tmp_path / "new")
    away.data.mkdir()
    done = manage(away, "restore", str(path), "--yes")
    assert "the ballot box does not answer" in done.stderr
    assert manage(away, "restore", str(path), "--yes", "--box-is-empty").returncode == 0
    assert stat.S_IMODE((away.data / "db.sqlite3").stat().st_mode) == 0o600


def test_a_damaged_one_costs_nothing(stack: Stack, tmp_path: Path) -> None:
    """Neither the database nor the ballots of open turns, which only the ballot box has."""
    path = backed_up(stack, tmp_path / "evening.backup")
    with connect(stack.redis) as redis:
        redis.hset("crowdgame:{7}:ballots3:9", "v1", "a ballot")
    with zipfile.ZipFile(path) as archive:
        database = archive.read("database")
        begins = archive.getinfo("database").header_offset
    assert manage(stack, "restore", str(path), typed="no\n").returncode != 0  # the database is out of WAL
    whole = path.read_bytes()
    torn = tmp_path / "torn"
    for at in (begins + 60, begins + 2_000, len(whole) // 2):
        torn.write_bytes(whole[:at] + bytes(255 - byte for byte in whole[at : at + 40]) + whole[at + 40 :])
        assert "cannot be read" in refused(stack, str(torn), "--yes")
    holed = database[:4096] + b"\xff" * 8192 + database[12288:]
    for spoilt in (b"no database", database[:6000], holed):
        assert "is damaged" in refused(stack, with_database(path, spoilt), "--yes")
        assert ballots_held(stack) == 1
    assert [p.name for p in stack.data.iterdir() if "restore" in p.name or p.name.startswith(".")] == []
    assert manage(stack, "restore", str(path), "--yes").returncode == 0
    assert ballots_held(stack) == 0


def test_a_file_with_any_byte_wrong_is_refused_or_says_the_same(stack: Stack, tmp_path: Path) -> None:
    path = backed_up(stack, tmp_path / "evening.backup")
    whole, rng, refusals = path.read_bytes(), Random(4), 0
    take_out(path, tmp_path / "right")
    for _ in range(400):
        at = rng.choice([rng.randrange(600), rng.randrange(len(whole)), len(whole) - 1 - rng.randrange(400)])
        (tmp_path / "wrong").write_bytes(
            whole[:at] + bytes([whole[at] ^ rng.randrange(1, 256)]) + whole[at + 1 :]
        )
        try:
            read_manifest(tmp_path / "wrong")
            take_out(tmp_path / "wrong", tmp_path / "taken")
            assert (tmp_path / "taken").read_bytes() == (tmp_path / "right").read_bytes()
        except BackupError:
            refusals += 1
    assert refusals > 200


def test_who_was_logged_in_then_is_not_logged_in_again(stack: Stack, tmp_path: Path) -> None:
    database = stack.data / "db.sqlite3"
    with closing(sqlite3.connect(database)) as kept:
        kept.execute("INSERT INTO django_session VALUES ('ended', '', '2099-01-01 00:00:00')")
        kept.commit()
    path = backed_up(stack, tmp_path / "evening.backup")
    assert manage(stack, "restore", str(path), "--yes").returncode == 0
    with closing(sqlite3.connect(database)) as kept:
        assert kept.execute("SELECT * FROM django_session").fetchall() == []


def test_restored_twice_no_number_is_given_out_again(stack: Stack, tmp_path: Path) -> None:
    """Each time the house goes on, and all it does is lost again."""
    path = backed_up(stack, tmp_path / "evening.backup")
    given: list[int] = []
    for _ in range(2):
        assert manage(stack, "restore", str(path), "--yes").returncode == 0
        with connect(stack.redis) as redis:
            assert list(redis.scan_iter(match="crowdgame:{*")) == []
        script = (
            "import django; django.setup();"
            "from tests.voting.playing import start; from voting.ballot_box import BallotBox;"
            "turn = start(BallotBox()); print(turn.pk, turn.match_id, turn.match.event_id)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, **stack.env},
            check=True,
            capture_output=True,
            text=True,
        )
        given += map(int, done.stdout.split())
        with connect(stack.redis) as redis:
            assert list(redis.scan_iter(match=f"crowdgame:{{{given[-1]}}}:box*"))
    first, second = given[:3], given[3:]
    assert all(later > earlier > 1_000_000 for earlier, later in zip(first, second, strict=True))

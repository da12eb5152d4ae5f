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
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from crowdgame.operations.backup_file import BackupError, read_manifest, take_out
from deploy.laptop.network import free_port
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE, Stack
from deploy.laptop.startup import migrate, start_box
from deploy.laptop.supervisor import Supervisor
from tests.commands import Commands, commands
from voting.ballot_box.stores import connect

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Place:
    """A new database and an empty ballot box, and nobody who uses them; a copy and a backup are `kept`."""

    stack: Stack
    commands: Commands
    kept: Path

    @property
    def database(self) -> Path:
        return self.stack.data / "db.sqlite3"

    def clear(self) -> None:
        for path in self.stack.data.iterdir():
            if path.is_file():
                path.unlink()
        shutil.copy(self.kept / "database", self.database)
        with connect(self.stack.redis) as redis:
            redis.flushall()

    def backed_up(self, folder: Path) -> Path:
        """A backup of the database as it is new."""
        return Path(shutil.copy(self.kept / "backup", folder / "event.backup"))


@pytest.fixture(scope="module")
def cleared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    data, kept = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("kept")
    stack = Stack(data=data, secret_key="of the tests", port=0, valkey_port=free_port())
    with Supervisor(stack.logs) as supervisor:
        start_box(stack, supervisor)
        migrate(stack)
        with commands(stack, kept) as asked:
            place = Place(stack, asked, kept)
            assert manage(stack, "backup", str(kept / "backup")).returncode == 0
            shutil.copy(place.database, kept / "database")
            yield place


@pytest.fixture
def place(cleared: Place) -> Place:
    cleared.clear()
    return cleared


def manage(stack: Stack, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **stack.env}
    return subprocess.run([*MANAGE, *words], cwd=ROOT, env=env, check=False, capture_output=True, text=True)


def back_up(place: Place, path: Path) -> Path:
    done = place.commands.run("backup", str(path))
    assert done.returncode == 0, done.stderr
    return path


def restore(place: Place, path: Path, *words: str, typed: str = "") -> int:
    return place.commands.run("restore", str(path), *words, typed=typed).returncode


def refused(place: Place, path: Path) -> str:
    before = place.database.read_bytes()
    done = place.commands.run("restore", str(path), "--yes")
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stderr
    assert place.database.read_bytes() == before
    return done.stderr


def with_manifest(path: Path, **changes: Any) -> Path:
    """The same backup, saying something else of itself."""
    changed = path.with_name("changed")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(changed, "w") as target:
        content = json.loads(source.read(MANIFEST)) | changes
        target.writestr(MANIFEST, json.dumps(content))
        target.writestr("database", source.read("database"))
    return changed


def with_database(path: Path, database: bytes) -> Path:
    """A whole file that holds another database."""
    changed = path.with_name("changed")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(changed, "w") as target:
        target.writestr(MANIFEST, source.read(MANIFEST))
        target.writestr("database", database)
    return changed


def ballots_held(place: Place) -> int:
    with connect(place.stack.redis) as redis:
        return len(list(redis.scan_iter(match="crowdgame:{*}:ballots*")))


@contextmanager
def in_use(place: Place) -> Iterator[None]:
    """Another process has the database open: one that reads its file here would end SQLite's own locks."""
    script = (
        "import sqlite3, sys; database = sqlite3.connect(sys.argv[1]);"
        "print(database.execute('PRAGMA journal_mode=WAL').fetchone(), flush=True);"
        "database.execute('SELECT * FROM games_event').fetchall(); print('open', flush=True); input()"
    )
    argv = [sys.executable, "-c", script, str(place.database)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as somebody:
        assert somebody.stdout is not None
        assert [somebody.stdout.readline() for _ in range(2)] == ["('wal',)\n", "open\n"]
        yield
        somebody.communicate("\n")


def manifest(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        content: dict[str, Any] = json.loads(archive.read(MANIFEST))
    return content


def test_it_is_one_file_for_its_owner_alone(place: Place, tmp_path: Path) -> None:
    path = back_up(place, tmp_path / "event.backup")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["event.backup"]
    content = manifest(path)
    assert (content["format"], content["engine"]) == ("crowdgame backup 1", "sqlite")
    assert "0001_initial" in content["migrations"]["voting"]


def test_one_that_fails_leaves_the_last_one_as_it_was(place: Place, tmp_path: Path) -> None:
    path = place.backed_up(tmp_path)
    before = path.read_bytes()
    place.database.write_bytes(b"no database")
    done = place.commands.run("backup", str(path))
    assert done.returncode != 0
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["event.backup"]


def test_what_does_not_fit_is_refused_in_words(place: Place, tmp_path: Path) -> None:
    path = place.backed_up(tmp_path)
    content = manifest(path)["migrations"]
    newer = with_manifest(path, migrations=content | {"voting": [*content["voting"], "0099_later"]})
    assert "newer version, with voting 0099_later" in refused(place, newer)
    older = with_manifest(path, migrations=content | {"voting": content["voting"][:-1]})
    assert f"older version, without voting {content['voting'][-1]}" in refused(place, older)
    assert "backup of postgresql" in refused(place, with_manifest(path, engine="postgresql"))
    assert "crowdgame backup 9" in refused(place, with_manifest(path, format="crowdgame backup 9"))
    (tmp_path / "other").write_bytes(b"something else")
    assert "cannot be read" in refused(place, tmp_path / "other")
    cut = path.read_bytes()[:-400]
    (tmp_path / "cut").write_bytes(cut)
    assert "cannot be read" in refused(place, tmp_path / "cut")


def test_it_asks_before_it_writes_over_anything(place: Place, tmp_path: Path) -> None:
    path = place.backed_up(tmp_path)
    assert restore(place, path, typed="no\n") != 0
    assert list(place.stack.data.glob("before-restore-*")) == []
    assert restore(place, path, typed="yes\n") == 0
    assert len(list(place.stack.data.glob("before-restore-*"))) == 1


def test_somebody_who_uses_the_database_is_not_robbed_of_it(place: Place, tmp_path: Path) -> None:
    path = place.backed_up(tmp_path)
    with in_use(place):
        assert "Stop everything first" in refused(place, path)
    assert restore(place, path, "--yes") == 0


def test_a_box_that_is_away_is_not_taken_for_empty(place: Place, tmp_path: Path) -> None:
    path = place.backed_up(tmp_path)
    away = replace(place.stack, valkey_port=free_port(), data=tmp_path / "new")
    away.data.mkdir()
    done = manage(away, "restore", str(path), "--yes")
    assert "the ballot box does not answer" in done.stderr
    assert manage(away, "restore", str(path), "--yes", "--box-is-empty").returncode == 0
    assert stat.S_IMODE((away.data / "db.sqlite3").stat().st_mode) == 0o600


def test_a_damaged_one_costs_nothing(place: Place, tmp_path: Path) -> None:
    """Neither the database nor the ballots of open turns, which only the ballot box has."""
    path = place.backed_up(tmp_path)
    with connect(place.stack.redis) as redis:
        redis.hset("crowdgame:{7}:ballots3:9", "v1", "a ballot")
    with zipfile.ZipFile(path) as archive:
        database = archive.read("database")
        begins = archive.getinfo("database").header_offset
    assert restore(place, path, typed="no\n") != 0  # the database is out of WAL
    whole = path.read_bytes()
    torn = tmp_path / "torn"
    for at in (begins + 60, begins + 2_000, len(whole) // 2):
        torn.write_bytes(whole[:at] + bytes(255 - byte for byte in whole[at : at + 40]) + whole[at + 40 :])
        assert "cannot be read" in refused(place, torn)
    holed = database[:4096] + b"\xff" * 8192 + database[12288:]
    for spoilt in (b"no database", database[:6000], holed):
        assert "is damaged" in refused(place, with_database(path, spoilt))
        assert ballots_held(place) == 1
    assert [p.name for p in place.stack.data.iterdir() if "restore" in p.name or p.name.startswith(".")] == []
    assert restore(place, path, "--yes") == 0
    assert ballots_held(place) == 0


def test_a_file_with_any_byte_wrong_is_refused_or_says_the_same(place: Place, tmp_path: Path) -> None:
    path = place.backed_up(tmp_path)
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


def test_who_was_logged_in_then_is_not_logged_in_again(place: Place, tmp_path: Path) -> None:
    with closing(sqlite3.connect(place.database)) as kept:
        kept.execute("INSERT INTO django_session VALUES ('ended', '', '2099-01-01 00:00:00')")
        kept.commit()
    path = back_up(place, tmp_path / "event.backup")
    assert restore(place, path, "--yes") == 0
    with closing(sqlite3.connect(place.database)) as kept:
        assert kept.execute("SELECT * FROM django_session").fetchall() == []


def test_restored_twice_no_number_is_given_out_again(place: Place, tmp_path: Path) -> None:
    """Each time the house goes on, and all it does is lost again."""
    path = place.backed_up(tmp_path)
    given: list[int] = []
    for _ in range(2):
        assert restore(place, path, "--yes") == 0
        with connect(place.stack.redis) as redis:
            assert list(redis.scan_iter(match="crowdgame:{*")) == []
        script = (
            "from tests.voting.match_helpers import start; from voting.ballot_box.ballot_box import BallotBox;"
            "turn = start(BallotBox()); print(turn.pk, turn.match_id, turn.match.event_id)"
        )
        done = place.commands.run("shell", "--no-imports", "-c", script)
        assert done.returncode == 0, done.stderr
        given += map(int, done.stdout.split())
        with connect(place.stack.redis) as redis:
            assert list(redis.scan_iter(match=f"crowdgame:{{{given[-1]}}}:box*"))
    first, second = given[:3], given[3:]
    assert all(later > earlier > 1_000_000 for earlier, later in zip(first, second, strict=True))

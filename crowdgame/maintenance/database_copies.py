"""Online copies of the whole database, and loading them while nothing runs."""

import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from django.db import connection

from crowdgame.maintenance.backup_file import BackupError, Engine

if TYPE_CHECKING:
    from crowdgame.maintenance.postgres_copies import PostgresCopies

# SQL statements to run on a copy before it is used. The last one selects a single number.
ReworkStatements = Sequence[str]
JOURNAL_SUFFIXES = ("-wal", "-shm")
SEED_BYTES = 16


@dataclass(frozen=True, slots=True)
class LoadResult:
    """`had_database`: a previous database was set aside. `answer` is the number the rework selected."""

    had_database: bool
    answer: int


@dataclass(frozen=True, slots=True)
class SqliteCopies:
    """Copies of a SQLite file. `new_seed` is SQL for an unpredictable seed, different for each row."""

    path: Path
    engine: Engine = "sqlite"
    new_seed: ClassVar = "new_seed()"

    def save(self, to: Path) -> None:
        """Write a consistent snapshot to `to` without blocking writers. Raises BackupError.

        A transaction that runs meanwhile is in the copy completely or not at all.
        """
        try:
            with (
                closing(sqlite3.connect(f"file:{quote(str(self.path))}?mode=ro", uri=True)) as source,
                closing(sqlite3.connect(to)) as copy,
            ):
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error as error:
            raise BackupError(f"{self.path} cannot be copied: {error}") from error

    def connected_users(self) -> list[str]:
        """Return a description of the file's users, or an empty list.

        SQLite leaves WAL mode only with exclusive access. The next connection of the product restores WAL.
        """
        if not self.path.exists():
            return []
        try:
            with closing(sqlite3.connect(self.path, timeout=1)) as database:
                alone = database.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",)
        except sqlite3.OperationalError:
            alone = False
        except sqlite3.DatabaseError:  # the file is damaged, so no process has it open
            alone = True
        return [] if alone else [f"a process that has {self.path} open"]

    def load(
        self, copy: Path, aside: Path, rework: ReworkStatements, before_swap: Callable[[], None]
    ) -> LoadResult:
        """Run the rework on a copy, replace the database by it, and keep the previous one at `aside`.

        `before_swap` is called as the last step before the swap. If `load` raises BackupError, nothing has
        changed.
        """
        answer = _rework(copy, rework)
        copy.chmod(0o600)
        had_database = self.path.exists()
        if had_database:
            shutil.copystat(self.path, copy)
            _copy_owner(self.path, copy)
            os.link(self.path, aside)
        try:
            before_swap()
        except BackupError:
            aside.unlink(missing_ok=True)
            raise
        self._put_journal_aside(aside)
        copy.replace(self.path)
        return LoadResult(had_database, answer)

    def _put_journal_aside(self, aside: Path) -> None:
        for name in JOURNAL_SUFFIXES:
            if (journal := self.path.with_name(self.path.name + name)).exists():
                journal.rename(aside.with_name(aside.name + name))

    def advance_ids(self, table: str, number: int, leap: int) -> Iterator[str]:
        """Yield SQL that starts new ids above `number` and at least `leap` above any id used so far."""
        yield (
            f"INSERT INTO sqlite_sequence (name, seq) SELECT '{table}', 0 "  # noqa: S608  our own names
            f"WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '{table}')"
        )
        yield f"UPDATE sqlite_sequence SET seq = max(seq + {leap}, {number}) WHERE name = '{table}'"  # noqa: S608


def database_copies() -> "SqliteCopies | PostgresCopies":
    """Return the copies object for the database in the settings."""
    if connection.vendor == "sqlite":
        return SqliteCopies(Path(connection.settings_dict["NAME"]))
    from crowdgame.maintenance.postgres_copies import postgres_copies  # noqa: PLC0415  needs psycopg

    return postgres_copies(connection.get_connection_params())


def _rework(copy: Path, rework: ReworkStatements) -> int:
    try:
        with closing(sqlite3.connect(copy, isolation_level=None)) as database:
            database.create_function("new_seed", 0, partial(secrets.token_hex, SEED_BYTES))
            if database.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("the integrity check failed")
            database.execute("BEGIN")
            answers = [database.execute(sql).fetchone() for sql in rework]
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise BackupError(f"the backup's copy of the database is damaged: {error}") from error
    return int(answers[-1][0])


def _copy_owner(old: Path, new: Path) -> None:
    """Copy the file's owner and group if run as root, who may restore another user's database."""
    if os.geteuid() == 0:
        os.chown(new, old.stat().st_uid, old.stat().st_gid)

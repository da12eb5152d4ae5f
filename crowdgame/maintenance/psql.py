"""Wrappers around pg_dump, pg_restore and psql: dump, script, and a transaction the caller can abort."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from psycopg.conninfo import make_conninfo

from crowdgame.maintenance.backup_file import BackupError

PORTABLE_OPTIONS = ("--no-owner", "--no-privileges")
CLEAN_OPTIONS = ("--clean", "--if-exists")
PSQL_OPTIONS = ("--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1")
END_MARKER = "ready to commit"
# From version 17 on, pg_restore begins its script with this setting, which older servers do not have.
NEW_SETTING = b"\nSET transaction_timeout"
HEADER_BYTES = 4_096
NO_TIMEOUT = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'"
# pg_restore only drops the tables in its archive, and fails if another one refers to them.
# The list of apps in the database also identifies tables of a later version, but none of other programs.
DROP_TABLES = """
DO $$
DECLARE name text;
BEGIN
    IF to_regclass('django_migrations') IS NULL THEN
        RETURN;
    END IF;
    SET LOCAL client_min_messages = warning;
    FOR name IN
        SELECT DISTINCT tablename FROM pg_tables JOIN django_migrations ON starts_with(tablename, app || '_')
        WHERE schemaname = current_schema()
    LOOP
        EXECUTE format('DROP TABLE IF EXISTS %I CASCADE', name);
    END LOOP;
END $$
"""


@dataclass(frozen=True, slots=True)
class PostgresTools:
    """PostgreSQL client tools for one database.

    `options` are libpq's. The password is passed in the environment, not in the visible command line.
    """

    options: dict[str, Any]

    def dump(self, to: Path) -> None:
        self._run(
            "pg_dump", *PORTABLE_OPTIONS, f"--dbname={self._address}", "--format=custom", f"--file={to}"
        )

    def write_script(self, copy: Path, script: Path) -> None:
        """Write the SQL script that restores `copy`. Raises BackupError."""
        self._run("pg_restore", *PORTABLE_OPTIONS, *CLEAN_OPTIONS, f"--file={script}", str(copy))
        _remove_new_setting(script)

    @contextmanager
    def transaction(self, script: Path, statements: Sequence[str]) -> Iterator[list[str]]:
        """Replace the apps' tables in one transaction, and yield the lines that script and statements print.

        Commits when the block ends. An exception in the block rolls back. Raises BackupError if psql fails.
        """
        then = script.with_name("then")
        words = ["RESET search_path", *statements, "SET CONSTRAINTS ALL IMMEDIATE"]
        then.write_text("".join(f"{word};\n" for word in words) + f"\\echo {END_MARKER}\n")
        argv = [_require_tool("psql"), *PSQL_OPTIONS, f"--dbname={self._address}", "--command=BEGIN"]
        argv += [
            f"--command={NO_TIMEOUT}",
            f"--command={DROP_TABLES}",
            f"--file={script}",
            f"--file={then}",
            "--file=-",
        ]
        pipe = subprocess.PIPE
        with (
            tempfile.TemporaryFile("w+") as said,
            subprocess.Popen(argv, env=self._env, stdin=pipe, stdout=pipe, stderr=said, text=True) as psql,  # noqa: S603
        ):
            yield _answers(psql, said)
            psql.communicate("COMMIT;\n")
            _check_exit_code("psql", psql.returncode, said)

    @property
    def _address(self) -> str:
        return make_conninfo(**{name: value for name, value in self.options.items() if name != "password"})

    @property
    def _env(self) -> dict[str, str]:
        return os.environ | {"PGPASSWORD": str(self.options.get("password", ""))}

    def _run(self, tool: str, *arguments: str) -> None:
        with tempfile.TemporaryFile("w+") as said:
            argv = [_require_tool(tool), *arguments]
            done = subprocess.run(argv, env=self._env, check=False, stdout=said, stderr=said)  # noqa: S603
            _check_exit_code(tool, done.returncode, said)


def _remove_new_setting(script: Path) -> None:
    """Make it a comment, in place: the script may be large."""
    with script.open("r+b") as file:
        at = file.read(HEADER_BYTES).find(NEW_SETTING)
        if at >= 0:
            file.seek(at)
            file.write(NEW_SETTING.replace(b"SET", b"-- "))


def _require_tool(tool: str) -> str:
    if shutil.which(tool) is None:
        raise BackupError(f"{tool} was not found. Install PostgreSQL's client (postgresql-client)")
    return tool


def _answers(psql: "subprocess.Popen[str]", said: IO[str]) -> list[str]:
    lines: list[str] = []
    for line in psql.stdout or ():
        if line.strip() == END_MARKER:
            return lines
        lines.append(line.strip())
    _check_exit_code("psql", psql.wait() or 1, said)
    return lines


def _check_exit_code(tool: str, code: int, said: IO[str]) -> None:
    if code:
        said.seek(0)
        raise BackupError(f"{tool} failed: {said.read().strip()}")

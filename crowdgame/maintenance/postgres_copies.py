"""Online copies of a PostgreSQL database. Needs psycopg, which the extra `postgresql` installs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import psycopg
from psycopg import pq
from psycopg.conninfo import make_conninfo

from crowdgame.maintenance.backup_file import BackupError, Engine
from crowdgame.maintenance.database_copies import LoadResult, ReworkStatements
from crowdgame.maintenance.psql import PostgresTools


@dataclass(frozen=True, slots=True)
class PostgresCopies:
    """Copies of a PostgreSQL database. Same contract as SqliteCopies; `options` are libpq's."""

    options: dict[str, Any]
    engine: Engine = "postgresql"
    new_seed: ClassVar = "replace(gen_random_uuid()::text, '-', '')"

    def save(self, to: Path) -> None:
        PostgresTools(self.options).dump(to)

    def connected_users(self) -> list[str]:
        sql = (
            "SELECT DISTINCT coalesce(nullif(application_name, ''), 'a client') || ' on ' "
            "|| coalesce(host(client_addr), 'this machine') FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
        with self._connected() as database:
            return [client for (client,) in database.execute(sql).fetchall()]

    def load(
        self, copy: Path, aside: Path, rework: ReworkStatements, before_swap: Callable[[], None]
    ) -> LoadResult:
        """See SqliteCopies.load. Here `aside` is a dump of the previous database."""
        with self._connected() as database:
            asked = "SELECT 1 WHERE to_regclass('django_migrations') IS NOT NULL"
            had_database = database.execute(asked).fetchone() is not None
        tools, script = PostgresTools(self.options), copy.with_name("script")
        tools.write_script(copy, script)
        if had_database:
            self.save(aside)
            aside.chmod(0o600)
        with tools.transaction(script, rework) as answers:
            before_swap()
        return LoadResult(had_database, int(answers[-1]))

    def advance_ids(self, table: str, number: int, leap: int) -> Iterator[str]:
        """See SqliteCopies.advance_ids."""
        yield (
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), "  # noqa: S608  our own names
            f"greatest({number}, (SELECT coalesce(max(id), 0) + {leap} FROM {table})))"
        )

    def _connected(self) -> psycopg.Connection[Any]:
        try:
            return psycopg.connect(make_conninfo(**self.options))
        except psycopg.Error as error:
            raise BackupError(f"cannot connect to the database: {error}") from error


def postgres_copies(parameters: dict[str, Any]) -> PostgresCopies:
    """Return the copies object for a connection with these parameters."""
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    return PostgresCopies({name: value for name, value in parameters.items() if name in known})

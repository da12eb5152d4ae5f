"""Back up a running server, and restore a backup without conflicts with later state.

A restore loses all changes since the backup, but gateways, phones and the ballot box may remember them. So a
restore advances all ids and sequence numbers beyond any that were used, and open turns are voted again.
"""

import fcntl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import AutoField, BigAutoField
from django.utils.crypto import salted_hmac
from redis import RedisError

from crowdgame.maintenance.backup_file import (
    FORMAT,
    BackupError,
    Manifest,
    extract_database,
    read_manifest,
    temporary_sibling,
    write_backup,
)
from crowdgame.maintenance.data_version import ONLY_IN_0_1, newer_migrations
from crowdgame.maintenance.database_copies import SqliteCopies, database_copies
from voting.ballot_box.ballot_box import BallotBox
from voting.transparency.entries import BACKUP_EPOCH_LEAP

if TYPE_CHECKING:
    from crowdgame.maintenance.postgres_copies import PostgresCopies

ID_LEAP = 1_000_000
EPOCH_START_S = 1_577_836_800  # 2020-01-01: seconds since then fit 32-bit integers until 2088
LIVE_TURNS_SQL = "state IN ('open', 'paused')"
STORE_DIR = "valkey"


def create_backup(path: Path, *, with_secret_key: bool = False) -> Manifest:
    """Write an online backup to `path` while the server runs. Raises BackupError."""
    copies = database_copies()
    manifest = Manifest(
        format=FORMAT,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        engine=copies.engine,
        migrations=_by_app(set(MigrationRecorder(connection).applied_migrations())),
        key_digest=_key_digest(),
    )
    if not path.absolute().parent.is_dir():
        raise BackupError(f"no such folder: {path.absolute().parent}")
    with temporary_sibling(path) as folder:
        copies.save(folder / "database")
        write_backup(path, manifest, folder / "database", settings.SECRET_KEY if with_secret_key else "")
    return manifest


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """`aside` is the file with the previous database or its dump, or None. `turns` are voted again."""

    aside: Path | None
    turns: int


def check_compatible(manifest: Manifest) -> None:
    """Raises BackupError unless the backup has this database engine and exactly this version's migrations."""
    engine = database_copies().engine
    if manifest.engine != engine:
        raise BackupError(f"this is a backup of {manifest.engine}, but the database is {engine}")
    theirs = {(app, name) for app, names in manifest.migrations.items() for name in names}
    if ONLY_IN_0_1 in theirs:
        raise BackupError("the backup was made by crowdgame 0.1, whose data this version cannot read")
    migrations = MigrationLoader(None).disk_migrations
    ours = {key for key, migration in migrations.items() if not migration.replaces}
    if newer := newer_migrations(key for key in theirs if key[0] != "games"):
        named = ", ".join(f"{app} {name}" for app, name in newer)
        raise BackupError(
            f"the backup was made by a newer version, which has {named}. Install that version, then restore"
        )
    if older := ours - theirs:
        named = ", ".join(f"{app} {name}" for app, name in sorted(older))
        raise BackupError(
            f"the backup was made by an older version, which lacks {named}. Install that version, restore, "
            "then upgrade"
        )


def has_other_key(manifest: Manifest) -> bool:
    """Whether the backup was made with another SECRET_KEY than the present one."""
    return manifest.key_digest not in {"", _key_digest()}


def _key_digest() -> str:
    """Return "" without a SECRET_KEY, which a backup does not need."""
    try:
        return salted_hmac("crowdgame.backup", "", algorithm="sha256").hexdigest()
    except ImproperlyConfigured:
        return ""


def list_running() -> list[str]:
    """Return a description of each process that uses the database or the ballot box."""
    found = [f"“make play” in {settings.DATA_DIR}"] if _make_play_state() == "runs" else []
    try:
        box = BallotBox()
        found += [f"a gateway with voters of event {event}" for event in box.list_active_events()]
        box.close()
    except RedisError:
        pass
    return found + database_copies().connected_users()


def restore(path: Path, *, box_is_empty: bool = False) -> RestoreResult:
    """Replace the database by the backup. If it raises BackupError, nothing has changed.

    No other process may run until it returns. If the restore is killed halfway, run it again.
    `box_is_empty` skips clearing the ballot box.
    """
    check_compatible(read_manifest(path))
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    copies, home = database_copies(), Path(settings.DATA_DIR)
    home.mkdir(parents=True, exist_ok=True)
    aside = home / f"before-restore-{stamp}"
    before_swap = (lambda: None) if box_is_empty else partial(_clear_boxes, _find_box(home), home, stamp)
    with temporary_sibling(home / "db.sqlite3") as folder:
        extract_database(path, folder / "database")
        loaded = copies.load(folder / "database", aside, tuple(fresh_start_sql(copies)), before_swap)
    return RestoreResult(aside if loaded.had_database else None, loaded.answer)


def fresh_start_sql(copies: "SqliteCopies | PostgresCopies") -> Iterator[str]:
    """Yield SQL that makes all future ids, sequence numbers and seeds differ from any used before.

    Numbers continue from the time in milliseconds, so that a second restore of the same backup is ahead of
    the first. 32-bit ids, such as those of users, continue from the time in seconds. Signed cookies contain
    ids, so a person who came after the backup must not become another person with the same id. Open turns and
    events get a new seed, because the old one may have been revealed after the backup. All sessions are
    deleted, because sessions that ended since the backup would be valid again.
    The last statement selects the number of turns that are voted again.
    """
    now_ms = time.time_ns() // 1_000_000
    epoch = now_ms // 1000 - EPOCH_START_S
    yield "DELETE FROM django_session"
    yield "DELETE FROM voting_announcement"
    seq = _max_sql(f"seq + {ID_LEAP}", now_ms)
    yield f"UPDATE games_event SET seq = {seq}, next_seed = {copies.new_seed}"  # noqa: S608
    yield (
        f"UPDATE games_turn SET seed = {copies.new_seed}, version = version + {BACKUP_EPOCH_LEAP}, "  # noqa: S608
        f"epoch = {_max_sql(f'epoch + {BACKUP_EPOCH_LEAP}', epoch)} WHERE {LIVE_TURNS_SQL}"
    )
    yield "UPDATE voting_loghead SET key = ''"  # the log with this key goes on where the backup ends
    for model in apps.get_models():
        if isinstance(model._meta.pk, AutoField):
            number = now_ms if isinstance(model._meta.pk, BigAutoField) else epoch
            yield from copies.advance_ids(model._meta.db_table, number, ID_LEAP)
    yield f"SELECT count(*) FROM games_turn WHERE {LIVE_TURNS_SQL}"  # noqa: S608


def _max_sql(one: str, number: int) -> str:
    return f"CASE WHEN {one} > {number} THEN {one} ELSE {number} END"


def _find_box(home: Path) -> BallotBox | None:
    """Return the ballot box, or None if it isn't running but its data folder is in `home`.

    Raises BackupError if it doesn't answer and its data may be elsewhere.
    """
    try:
        box = BallotBox()
        box.now()
    except RedisError as error:
        if (home / STORE_DIR).is_dir():
            return None
        raise BackupError(
            f"the ballot box does not respond ({error}). Start it, but nothing else, so that the ballots of "
            "lost turns can be deleted. If it is new, use --box-is-empty"
        ) from error
    return box


def _clear_boxes(box: BallotBox | None, home: Path, stamp: str) -> None:
    """Delete all ballots in the box, and set aside the data of a stopped `make play` store.

    Raises BackupError if the box doesn't answer.
    """
    kept = home / STORE_DIR
    if box is not None:
        try:
            box.delete_all_events()
        except RedisError as error:
            raise BackupError(f"the ballot box stopped responding ({error})") from error
        box.close()
    if kept.is_dir() and (box is None or _make_play_state() == "ended"):
        kept.rename(home / f"{STORE_DIR}-before-restore-{stamp}")


def _make_play_state() -> str:
    """Return "runs" or "ended" for the data folder of a `make play`, or "none" for any other folder."""
    lock = Path(settings.DATA_DIR) / "play.lock"
    if not lock.is_file():
        return "none"
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return "runs"
    return "ended"


def _by_app(migrations: set[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    named = sorted(migrations)
    return {app: tuple(name for a, name in named if a == app) for app in sorted({app for app, _ in named})}

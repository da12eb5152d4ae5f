"""Backup file format: a zip archive with a copy of the database and a JSON manifest."""

import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

FORMAT = "crowdgame backup 1"
# Errors that zipfile raises for a damaged file or one that is no zip archive.
DAMAGED_FILE_ERRORS = (OSError, EOFError, KeyError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error)
MANIFEST_NAME, DATABASE_NAME, KEY_NAME = "manifest.json", "database", "secret_key"

Engine = Literal["sqlite", "postgresql"]


class BackupError(Exception):
    """A backup or restore failed. The message can be shown to the operator."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Describes the copied database. `migrations` are the applied ones by app; `made_at` is ISO 8601, UTC.

    `key_digest` identifies the SECRET_KEY of the installation without disclosing it.
    """

    format: str
    made_at: str
    engine: Engine
    migrations: dict[str, tuple[str, ...]]
    key_digest: str = ""


@contextmanager
def temporary_sibling(path: Path) -> Iterator[Path]:
    """Yield a private temporary folder on the same disk as `path`, and delete it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.absolute().parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def write_backup(path: Path, manifest: Manifest, database: Path, secret_key: str = "") -> None:
    """Write the archive atomically, readable by its owner only. It includes `secret_key` if given.

    `database` must be on the same file system as `path`, because the finished file is renamed to `path`.
    """
    unfinished = database.with_name("unfinished")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(MANIFEST_NAME, msgspec.json.format(msgspec.json.encode(manifest)))
        archive.write(database, DATABASE_NAME)
        if secret_key:
            archive.writestr(KEY_NAME, secret_key)
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    unfinished.chmod(0o600)
    unfinished.replace(path)


def read_manifest(path: Path) -> Manifest:
    """Read the manifest of a backup. Raises BackupError if it is unreadable or of another format."""
    with _open_archive(path) as archive:
        try:
            manifest = msgspec.json.decode(archive.read(MANIFEST_NAME), type=Manifest)
        except (KeyError, msgspec.MsgspecError) as error:
            raise BackupError(f"{path} is not a backup of crowdgame") from error
    if manifest.format != FORMAT:
        raise BackupError(f"{path} is a “{manifest.format}”; this version reads “{FORMAT}”")
    return manifest


def has_secret_key(path: Path) -> bool:
    """Whether the backup includes a SECRET_KEY. Raises BackupError if the archive is damaged."""
    with _open_archive(path) as archive:
        return KEY_NAME in archive.namelist()


def extract_database(path: Path, database: Path) -> None:
    """Write the backup's database copy to `database`. Raises BackupError if the archive is damaged."""
    with _open_archive(path) as archive, archive.open(DATABASE_NAME) as source, database.open("wb") as copy:
        shutil.copyfileobj(source, copy)


@contextmanager
def _open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except DAMAGED_FILE_ERRORS as error:
        raise BackupError(f"{path} cannot be read: {error}") from error

"""A backup: one file that holds a copy of the database and says what it is a copy of."""

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
# What zipfile raises about a file that is none, or was damaged.
DAMAGED_FILE_ERRORS = (OSError, EOFError, KeyError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error)
MANIFEST_NAME, DATABASE_NAME = "manifest.json", "database"

Engine = Literal["sqlite", "postgresql"]


class BackupError(Exception):
    """Why there is no backup, or why it is not restored; the message is fit to be shown."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`migrations` are the names of those the database had, by app; `made_at` is in ISO 8601."""

    format: str
    made_at: str
    engine: Engine
    migrations: dict[str, tuple[str, ...]]


@contextmanager
def temporary_sibling(path: Path) -> Iterator[Path]:
    """A folder nobody else looks into, on the same disk as `path`; it goes with all that is left in it."""
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.absolute().parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def write_backup(path: Path, manifest: Manifest, database: Path) -> None:
    """All of it or nothing, and for nobody's eyes but the owner's."""
    unfinished = database.with_name("unfinished")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(MANIFEST_NAME, msgspec.json.format(msgspec.json.encode(manifest)))
        archive.write(database, DATABASE_NAME)
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    unfinished.chmod(0o600)
    unfinished.replace(path)


def read_manifest(path: Path) -> Manifest:
    """Raises BackupError if this is no whole backup."""
    with _open_archive(path) as archive:
        try:
            manifest = msgspec.json.decode(archive.read(MANIFEST_NAME), type=Manifest)
        except (KeyError, msgspec.MsgspecError) as error:
            raise BackupError(f"{path} is not a backup of crowdgame") from error
    if manifest.format != FORMAT:
        raise BackupError(f"{path} is a “{manifest.format}”; this version reads “{FORMAT}”")
    return manifest


def extract_database(path: Path, database: Path) -> None:
    """Raises BackupError if the file is damaged."""
    with _open_archive(path) as archive, archive.open(DATABASE_NAME) as source, database.open("wb") as copy:
        shutil.copyfileobj(source, copy)


@contextmanager
def _open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except DAMAGED_FILE_ERRORS as error:
        raise BackupError(f"{path} cannot be read: {error}") from error

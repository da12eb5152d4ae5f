"""`manage.py backup FILE`: write an online backup of the database."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from crowdgame.maintenance.backup_file import BackupError
from crowdgame.maintenance.backups import create_backup

WITHOUT_KEY = (
    "SECRET_KEY is not included. Keep a copy of it: after a restore with another key, phones lose "
    "their seats, guests their login, and displays must be opened again."
)
WITH_KEY = "SECRET_KEY is included. Anyone who reads this file can log in as any organizer. Keep it secret."


class Command(BaseCommand):
    help = "Back up the database to a file while everything keeps running."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--with-secret-key", action="store_true", help="include SECRET_KEY in the file")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = create_backup(path, with_secret_key=options["with_secret_key"])
        except (BackupError, DatabaseError, ImproperlyConfigured, OSError) as error:
            raise CommandError(f"Backup failed: {error}.") from error
        size = path.stat().st_size / 1_000_000
        self.stdout.write(f"{path}: {manifest.engine}, {manifest.made_at}, {size:.1f} MB")
        self.stdout.write(WITH_KEY if options["with_secret_key"] else WITHOUT_KEY)

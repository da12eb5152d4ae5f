"""`manage.py backup FILE`: write an online backup of the database."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from crowdgame.operations.backup_file import BackupError
from crowdgame.operations.backups import create_backup


class Command(BaseCommand):
    help = "Back up the database to a file while everything keeps running."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = create_backup(path)
        except (BackupError, DatabaseError, OSError) as error:
            raise CommandError(f"Backup failed: {error}.") from error
        size = path.stat().st_size / 1_000_000
        self.stdout.write(f"{path}: {manifest.engine}, {manifest.made_at}, {size:.1f} MB")

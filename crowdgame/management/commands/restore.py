"""`manage.py restore FILE`: replace the database by a backup, while no other process runs."""

import shlex
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowdgame.maintenance.backup_file import KEY_NAME, BackupError, has_secret_key, read_manifest
from crowdgame.maintenance.backups import check_compatible, has_other_key, list_running, restore

OTHER_KEY = (
    "SECRET_KEY differs from that of the backup: phones lose their seats, guests their login, and displays "
    "must be opened again."
)


class Command(BaseCommand):
    help = "Replace the database with a backup. Newer data is lost. Stop all processes first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
        parser.add_argument(
            "--force", action="store_true", help="restore even if the database seems to be in use"
        )
        parser.add_argument(
            "--box-is-empty", action="store_true", help="the ballot box is new; do not query it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = read_manifest(path)
            check_compatible(manifest)
            self._check_that_nothing_runs(forced=options["force"])
            if not options["yes"]:
                self._ask(f"This restores the backup of {manifest.made_at}. Newer data is lost.")
            done = restore(path, box_is_empty=options["box_is_empty"])
        except (BackupError, OSError) as error:
            raise CommandError(f"Nothing was restored: {error}.") from error
        if done.aside:
            self.stdout.write(f"The previous database was saved as {done.aside}.")
        self.stdout.write(f"Restored the backup of {manifest.made_at}. Turns to vote again: {done.turns}.")
        if has_other_key(manifest):
            self.stdout.write(f"{OTHER_KEY} {_key_advice(path)}")

    def _check_that_nothing_runs(self, *, forced: bool) -> None:
        found = list_running()
        if found and not forced:
            raise CommandError(
                f"Stop everything first. The database is in use by {'; by '.join(found)}. "
                "If this is wrong, use --force, then restart all running processes."
            )

    def _ask(self, what: str) -> None:
        self.stdout.write(f"{what} Type yes to continue: ", ending="")
        self.stdout.flush()
        if sys.stdin.readline().strip().lower() != "yes":
            raise CommandError("Nothing was restored.")


def _key_advice(path: Path) -> str:
    if has_secret_key(path):
        return (
            f"To prevent this, set SECRET_KEY to the output of: unzip -p {shlex.quote(str(path))} {KEY_NAME}"
        )
    return "To prevent this, set SECRET_KEY to the earlier key, which this backup does not include."

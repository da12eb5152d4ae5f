"""`manage.py restore FILE`: replace the database by a backup, while no other process runs."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowdgame.operations.backup_file import BackupError, read_manifest
from crowdgame.operations.backups import check_compatible, list_running, restore


class Command(BaseCommand):
    help = "Puts a backup in the database's place; what came after it is lost. Stop everything first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--force", action="store_true", help="even if somebody seems to use the database")
        parser.add_argument(
            "--box-is-empty", action="store_true", help="the ballot box is new: do not ask it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = read_manifest(path)
            check_compatible(manifest)
            self._check_that_nothing_runs(forced=options["force"])
            if not options["yes"]:
                self._ask(f"The database becomes what it was at {manifest.made_at}; what came later is lost.")
            done = restore(path, box_is_empty=options["box_is_empty"])
        except (BackupError, OSError) as error:
            raise CommandError(f"Nothing is restored: {error}.") from error
        if done.aside:
            self.stdout.write(f"What was there before is in {done.aside}")
        self.stdout.write(f"Restored as of {manifest.made_at}; turns that are voted anew: {done.turns}")

    def _check_that_nothing_runs(self, *, forced: bool) -> None:
        found = list_running()
        if found and not forced:
            raise CommandError(
                f"Stop everything first, it is in use by {'; by '.join(found)}. "
                "If that is not so, say --force; whatever runs must then be started again."
            )

    def _ask(self, what: str) -> None:
        if input(f"{what} Type yes to go on: ").strip().lower() != "yes":
            raise CommandError("Nothing is restored.")

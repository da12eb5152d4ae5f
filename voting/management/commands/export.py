"""`manage.py export CODE [--match N] [--output FILE]`: write a match record as one line of JSON."""

from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from voting.records.exports import MatchChanging, SidesStillSecret, export_match


class Command(BaseCommand):
    help = "Export the record of a match: all ballots, blinded, and how each pick was decided."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the event's join code")
        parser.add_argument("--match", type=int, metavar="N", help="match number (default: the latest)")
        parser.add_argument(
            "--output", type=Path, metavar="FILE", help="output file (default: standard output)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            exported = export_match(options["code"], options["match"])
        except (MatchChanging, SidesStillSecret) as refusal:
            raise CommandError(str(refusal)) from refusal
        if exported is None:
            raise CommandError("There is no such match.")
        line = msgspec.json.encode(exported.record).decode()
        if options["output"] is None:
            self.stdout.write(line)
            return
        try:
            options["output"].write_text(line + "\n", encoding="utf-8")
        except OSError as refusal:
            raise CommandError(str(refusal)) from refusal

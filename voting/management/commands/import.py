"""`manage.py import RECORD.json [--event CODE | --owner NAME]`: import a match record into the database.

The record is recounted first, and refused if it has any fault.
"""

import time
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.engine.errors import BadRecord
from voting.management.commands.verify import printable
from voting.models import Event, Match
from voting.records.imports import ImportRefused, find_differences, import_event, import_match
from voting.records.match_record import MatchRecord, read_match_record
from voting.typed_codes import normalize_code


class Command(BaseCommand):
    help = "Import a match record as the next match of an event, or into a new event."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("record", type=Path, metavar="RECORD.json")
        where = parser.add_mutually_exclusive_group()
        where.add_argument(
            "--event", metavar="CODE", help="import into this event (default: the record's event)"
        )
        where.add_argument("--owner", metavar="NAME", help="import into a new event owned by this user")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            record = read_match_record(options["record"].read_bytes())
            match = _import(record, options["event"], options["owner"])
        except (BadRecord, ImportRefused, OSError) as refusal:
            raise CommandError(printable(str(refusal))) from refusal
        self.stdout.write(printable(f"match {match.number} of {match.event}: {len(record.turns)} turns"))
        changed = sorted(find_differences(record, match))
        if changed:
            self.stdout.write(f"Imported as recorded, except for {', '.join(changed)}.")


def _import(record: MatchRecord, code: str | None, owner: str | None) -> Match:
    now = int(time.time() * 1000)
    if owner is not None:
        return import_event(record, _find_owner(owner), now)
    event = Event.objects.filter(code=normalize_code(code or record.code)).first()
    if event is None:
        raise ImportRefused("There is no such event. Use --owner NAME to import into a new one.")
    return import_match(record, event, now)


def _find_owner(name: str) -> User:
    user = User.objects.filter(username=name).first()
    if user is None:
        raise ImportRefused(f"There is no user named {name}.")
    return user

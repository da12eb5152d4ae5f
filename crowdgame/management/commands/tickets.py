"""`manage.py tickets CODE [--count N] [--csv FILE]`: make tickets, or write all ticket codes to a file."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils.translation import override

from crowdgame.events.ticket_views import ticket_csv_rows
from crowdgame.maintenance.backup_file import temporary_sibling
from crowdgame.server.web.spreadsheet import write_csv
from voting.admission.tickets import TooManyTickets, make_tickets
from voting.models import Event
from voting.typed_codes import normalize_code


class Command(BaseCommand):
    help = "Create tickets for an event, or export all its codes (tickets and class list) to a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", metavar="CODE", help="the event's join code")
        parser.add_argument("--count", type=int, default=0, metavar="N", help="number of tickets to create")
        parser.add_argument("--csv", type=Path, metavar="FILE", help="write all codes to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        event = Event.objects.filter(code=normalize_code(options["code"])).first()
        if event is None:
            raise CommandError(f"There is no event with the code {options['code']}.")
        if options["count"] < 0:
            raise CommandError("--count must be 0 or more.")
        try:
            with transaction.atomic():
                made = make_tickets(event, options["count"])
                if options["csv"]:
                    _write(options["csv"], event)
        except (TooManyTickets, OSError) as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{len(made)} tickets created, {event.tickets.count()} in total")


def _write(file: Path, event: Event) -> None:
    """Write all codes atomically, readable by the file's owner only, because each code is a vote.

    A file that exists is replaced, so that its permissions don't apply.
    """
    with temporary_sibling(file) as folder, override(event.language):
        draft = os.open(folder / "codes", os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(draft, "w", encoding="utf-8", newline="") as target:
            write_csv(target, ticket_csv_rows(event, f"{settings.PUBLIC_URL}/{event.code}"))
        (folder / "codes").replace(file)

"""`manage.py doctor`: look for wrong settings and missing services; print one line per finding."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from crowdgame.maintenance.doctor.diagnosis import diagnose, run_check
from crowdgame.maintenance.doctor.event import check_event
from crowdgame.maintenance.doctor.finding import Finding
from voting.models import Event
from voting.typed_codes import normalize_code


class Command(BaseCommand):
    help = "Check settings, plug-ins, services, limits and disk. The exit status is 1 if anything is wrong."
    requires_system_checks: list[str] = []  # they are among the checks

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--event", metavar="CODE", help="also check this event, before it begins")
        parser.add_argument("--people", type=int, help="how many will come (default: tickets or class list)")

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        for name, findings in _all_findings(options["event"], options["people"]):
            for finding in findings:
                mark = "✗" if finding.is_wrong else "?"
                self.stdout.write(
                    f"{mark} {name}: {' '.join(finding.problem.split()).rstrip('.')}. {finding.remedy}"
                )
            if not findings:
                self.stdout.write(f"✓ {name}")
            wrong += sum(finding.is_wrong for finding in findings)
        if wrong:
            sys.exit(1)


def _all_findings(code: str | None, people: int | None) -> Iterator[tuple[str, list[Finding]]]:
    yield from diagnose()
    if code is not None:
        typed = normalize_code(code)
        yield f"event {typed}", list(run_check(lambda: _check_event(typed, people)))


def _check_event(code: str, people: int | None) -> Iterator[Finding]:
    event = Event.objects.filter(code=code).first()
    if event is None:
        raise CommandError(f"There is no event {code}.")
    yield from check_event(event, people)

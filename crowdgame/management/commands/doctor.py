"""`manage.py doctor`: look for wrong settings and missing services; print one line per finding."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from crowdgame.maintenance.doctor.diagnosis import diagnose


class Command(BaseCommand):
    help = "Check settings, services, limits and disk. The exit status is 1 if anything is wrong."
    requires_system_checks: list[str] = []  # they are among the checks

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        for name, findings in diagnose():
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

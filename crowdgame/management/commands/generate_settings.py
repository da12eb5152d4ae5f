"""`manage.py generate_settings`: write or check the reference of all environment variables."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from crowdgame.config.environment import render

PAGE = "docs/generated/settings.md"


class Command(BaseCommand):
    help = f"Write {PAGE} from crowdgame/config/environment.py."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="write nothing; exit with status 1 if it is stale"
        )

    def handle(self, **options: Any) -> None:
        target = Path(settings.BASE_DIR) / PAGE
        if not options["check"]:
            target.write_text(render(), encoding="utf-8")
        elif not target.is_file() or target.read_text(encoding="utf-8") != render():
            self.stderr.write(f"{PAGE} is stale. Run `manage.py generate_settings`.")
            sys.exit(1)

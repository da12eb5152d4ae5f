"""`manage.py generate_protocol`: the wire's types for the clients."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from voting.protocol.typescript import render


class Command(BaseCommand):
    help = "Write frontend/src/protocol.ts from voting/protocol/."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if it is stale")

    def handle(self, **options: Any) -> None:
        target = Path(settings.BASE_DIR) / "frontend" / "src" / "protocol.ts"
        if not options["check"]:
            target.write_text(render(), encoding="utf-8")
        elif not target.is_file() or target.read_text(encoding="utf-8") != render():
            self.stderr.write("frontend/src/protocol.ts is stale: run `manage.py generate_protocol`")
            sys.exit(1)

"""`manage.py generate_protocol [--check]`: write the client's types and constants, and the references."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.core.management.base import BaseCommand, no_translations

from voting.management import layers_reference, settings_reference
from voting.protocol import markdown, method_constants, typescript


class Command(BaseCommand):
    help = "Write the client's types and constants and the references of messages and settings from voting/."
    targets: ClassVar = {
        "frontend/src/protocol.ts": typescript.render,
        "frontend/src/methods.ts": method_constants.render,
        "frontend/src/methodCaptions.ts": method_constants.render_captions,
        "frontend/src/settings.ts": settings_reference.render_typescript,
        "docs/generated/messages.md": markdown.render,
        "docs/generated/event-settings.md": settings_reference.render_markdown,
        "docs/generated/layers.md": layers_reference.render_markdown,
    }
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="write nothing; exit with status 1 if a file is stale"
        )

    def render_files(self) -> Iterator[tuple[str, str]]:
        """Yield the path and the text of each generated file."""
        yield from ((name, render()) for name, render in self.targets.items())

    @no_translations
    def handle(self, **options: Any) -> None:
        stale = []
        for name, text in self.render_files():
            target = Path(settings.BASE_DIR) / name
            if target.is_file() and target.read_text(encoding="utf-8") == text:
                continue
            if options["check"]:
                stale.append(name)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
        if stale:
            command = type(self).__module__.rsplit(".", 1)[1]
            self.stderr.write(f"Stale: {' and '.join(stale)}. Run `manage.py {command}`.")
            sys.exit(1)

"""`manage.py generate_actions [--check]`: write the table of organizer actions for client and docs."""

from typing import ClassVar

from crowdgame.organizer.console import action_reference
from voting.management.commands.generate_protocol import Command as GenerateCommand


class Command(GenerateCommand):
    help = "Write the table of organizer actions for the client and the docs."
    targets: ClassVar = {
        "frontend/src/actions.ts": action_reference.render_typescript,
        "docs/generated/actions.md": action_reference.render_markdown,
    }

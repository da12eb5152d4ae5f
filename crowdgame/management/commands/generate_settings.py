"""`manage.py generate_settings`: write or check the reference of all environment variables."""

from typing import ClassVar

from crowdgame.config.environment import render
from voting.management.commands.generate_protocol import Command as GenerateCommand


class Command(GenerateCommand):
    help = "Write the reference of all environment variables from crowdgame/config/environment.py."
    targets: ClassVar = {"docs/generated/settings.md": render}

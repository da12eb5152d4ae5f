"""`manage.py generate_messages`: write or check the list of the texts to translate."""

from typing import ClassVar

from crowdgame.translation.extraction import render_template
from voting.management.commands.generate_protocol import Command as GenerateCommand


class Command(GenerateCommand):
    help = "Extract the texts to translate from Python code and templates into locale/django.pot."
    targets: ClassVar = {"locale/django.pot": render_template}

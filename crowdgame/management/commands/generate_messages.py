"""`manage.py generate_messages`: write or check the list of the texts to translate, and the catalogs."""

from functools import partial
from typing import ClassVar

from django.conf import settings

from crowdgame.translation.extraction import catalog_path, render_catalog, render_template
from voting.management.commands.generate_protocol import Command as GenerateCommand

TRANSLATIONS = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


class Command(GenerateCommand):
    help = "Extract the texts to translate from Python code and templates into the catalogs in locale/."
    targets: ClassVar = {"locale/django.pot": render_template} | {
        str(catalog_path(code).relative_to(settings.BASE_DIR)): partial(render_catalog, code)
        for code in TRANSLATIONS
    }

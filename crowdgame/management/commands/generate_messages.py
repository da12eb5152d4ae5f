"""`manage.py generate_messages`: write or check the list of the texts to translate, and the catalogs."""

from functools import partial
from typing import Any, ClassVar

from django.conf import settings

from crowdgame.translation.extraction import catalog_path, render_catalog, render_template
from crowdgame.translation.missing import TRANSLATIONS, list_missing
from voting.management.commands.generate_protocol import Command as GenerateCommand


class Command(GenerateCommand):
    help = (
        "Extract the texts to translate from Python code and templates into the catalogs in locale/. "
        "--check also lists the texts without a translation, which are no error."
    )
    targets: ClassVar = {"locale/django.pot": render_template} | {
        str(catalog_path(code).relative_to(settings.BASE_DIR)): partial(render_catalog, code)
        for code in TRANSLATIONS
    }

    def handle(self, **options: Any) -> None:
        super().handle(**options)
        if options["check"] and (missing := list_missing()):
            self.stderr.write("\n".join(["Not translated, shown in English:", *missing]))

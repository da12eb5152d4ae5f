"""`manage.py generate_messages`: write or check the list of the texts to translate, and the catalogs."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings

from crowdgame.server.translation.extraction import (
    catalog_path,
    extract_texts,
    render_catalog,
    render_template,
)
from crowdgame.server.translation.missing import TRANSLATIONS, list_missing
from voting.management.commands.generate_protocol import Command as GenerateCommand


class Command(GenerateCommand):
    help = (
        "Extract the texts to translate from Python code and templates into the catalogs in locale/. "
        "--check also lists the texts without a translation, which are no error."
    )

    def render_files(self) -> Iterator[tuple[str, str]]:
        texts = extract_texts()
        yield "locale/django.pot", render_template(texts)
        for code in TRANSLATIONS:
            yield str(catalog_path(code).relative_to(settings.BASE_DIR)), render_catalog(code, texts)

    def handle(self, **options: Any) -> None:
        super().handle(**options)
        if options["check"] and (missing := list_missing()):
            self.stderr.write("\n".join(["Not translated, shown in English:", *missing]))

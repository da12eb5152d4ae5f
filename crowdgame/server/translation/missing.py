"""The texts without a translation. Pages show them in English."""

from collections.abc import Iterator

from babel.messages.catalog import Catalog
from django.conf import settings

from crowdgame.server.translation.extraction import load_catalog

TRANSLATIONS = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def list_missing() -> list[str]:
    """Return a line with language, source file and text for each text that a catalog does not translate."""
    return [
        f"{language}: {line}"
        for language in TRANSLATIONS
        for domain in ("django", "djangojs")
        for line in missing_texts(load_catalog(language, domain))
    ]


def missing_texts(catalog: Catalog) -> Iterator[str]:
    """Yield the source file and the text of each message that is fuzzy or lacks a form."""
    for message in catalog:
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and (message.fuzzy or not all(forms)):
            text = message.id if isinstance(message.id, str) else message.id[0]
            yield f'{message.locations[0][0]}: "{text}"'

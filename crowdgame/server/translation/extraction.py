"""Extracts the texts to translate from Python code and templates, with Babel and Django's template lexer."""

import re
from collections.abc import Collection, Generator, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir, extract_python
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation import to_locale
from django.utils.translation.template import templatize

METHODS = [
    ("**.py", "python"),
    ("**/templates/**.html", "crowdgame.server.translation.extraction:extract_template"),
]
KEYWORDS = DEFAULT_KEYWORDS | {
    "gettext_lazy": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
    "gettext_noop": None,
    "GameText": None,
}
PACKAGES = ("crowdgame", "games", "voting")
COMMENT_TAG = "Translators:"
HEADER = "# Texts of the pages, e-mails and messages."
UNUSED_HEADERS = re.compile(
    r'"(Project-Id-Version|Report-Msgid-Bugs-To|Last-Translator|Language-Team|Generated-By|[\w-]+-Date):'
)


def extract_template(
    file: IO[bytes], keywords: Mapping[str, Any], comment_tags: Collection[str], options: Any
) -> Generator[Any, None, None]:
    """Yield the texts of a Django template; an extraction method of Babel."""
    lines = templatize(file.read().decode()).split("\n")
    code = "\n".join(line.lstrip() for line in lines)  # Python refuses the indentation of templates
    yield from extract_python(BytesIO(code.encode()), keywords, comment_tags, options)


def render_template(texts: Catalog) -> str:
    """Return the template of the catalogues (`.pot`): every text once, in the order of files and lines.

    Locations without line numbers and a header without dates: it changes only if a text does.
    """
    return _to_text(texts)


def render_catalog(language: str, texts: Catalog) -> str:
    """Return a language's catalog with exactly these texts. Keeps the translations and comments.

    A new language starts with an empty catalog and its plural forms. Raises UnknownLocaleError.
    """
    exists = catalog_path(language).is_file()
    catalog = load_catalog(language) if exists else Catalog(to_locale(language))
    catalog.update(texts, no_fuzzy_matching=True, update_header_comment=False)
    return _to_text(catalog)


def catalog_path(language: str, domain: str = "django") -> Path:
    """The `.po` file of a language, such as "zh-hans". The domain of the front end is "djangojs"."""
    return settings.BASE_DIR / "locale" / to_locale(language) / "LC_MESSAGES" / f"{domain}.po"


def load_catalog(language: str, domain: str = "django") -> Catalog:
    with catalog_path(language, domain).open("rb") as file:
        return read_po(file)


def extract_texts() -> Catalog:
    """Return the texts of Python code and templates."""
    catalog = Catalog(project="crowdgame", header_comment=HEADER, fuzzy=False)
    for package in PACKAGES:
        found = extract_from_dir(
            settings.BASE_DIR / package, METHODS, keywords=KEYWORDS, comment_tags=[COMMENT_TAG]
        )
        for name, line, text, comments, context in found:
            catalog.add(text, None, [(f"{package}/{name}", line)], auto_comments=comments, context=context)
    return catalog


def _to_text(catalog: Catalog) -> str:
    packed = BytesIO()
    write_po(packed, catalog, width=100, include_lineno=False, ignore_obsolete=True)
    lines = packed.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not UNUSED_HEADERS.match(line)).strip() + "\n"

"""The catalogs of the pages: complete, with the placeholders and tags of the English texts."""

import re
from collections.abc import Iterator, Sequence
from io import BytesIO

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from django.conf import settings

from crowdgame.translation.extraction import catalog_path, render_catalog

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
GLOSSARY = settings.BASE_DIR / "locale" / "glossary.tsv"
TAG = re.compile(r"</?[a-z][^>]*>|&\w+;")


def load_catalog(language: str) -> Catalog:
    with catalog_path(language).open("rb") as file:
        return read_po(file)


def problems(catalog: Catalog) -> Iterator[str]:
    for message in catalog:
        if not message.id:
            continue
        texts, forms = _forms(message.id), _forms(message.string or "")
        if not all(forms):
            yield f"not translated: {texts[0]}"
        elif message.fuzzy:
            yield f"fuzzy: {texts[0]}"
        yield from (f"{error}: {texts[0]}" for error in message.check(catalog))
        yield from (f"other tags: {form}" for form in forms if form and not _has_tags(form, texts))


def _forms(text: str | Sequence[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def _has_tags(form: str, texts: tuple[str, ...]) -> bool:
    return sorted(TAG.findall(form)) in [sorted(TAG.findall(text)) for text in texts]


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalog_is_complete(language: str) -> None:
    assert list(problems(load_catalog(language))) == []


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (Message("Save"), "not translated: Save"),
        (Message("Save", "Speichern", flags=["fuzzy"]), "fuzzy: Save"),
        (Message("%(a)s", "%(b)s", flags=["python-format"]), "unknown named placeholder 'b': %(a)s"),
        (Message("a <b>b</b>", "a b"), "other tags: a b"),
        (Message(("%(n)s vote", "%(n)s votes"), ("%(n)s Stimme", "")), "not translated: %(n)s vote"),
    ],
)
def test_problems_are_found(message: Message, problem: str) -> None:
    catalog = Catalog("de")
    catalog[message.id] = message
    assert problem in list(problems(catalog))


def test_a_new_language_starts_with_all_texts_and_its_plural_forms() -> None:
    catalog = read_po(BytesIO(render_catalog("pl").encode()))
    assert (str(catalog.locale), catalog.num_plurals) == ("pl", 3)
    assert {message.id for message in catalog} == {message.id for message in load_catalog("de")}


def test_glossary_has_a_term_in_every_language() -> None:
    head, *rows = [line.split("\t") for line in GLOSSARY.read_text().splitlines()]
    assert sorted(head) == sorted(["en", *LANGUAGES, "note"])
    assert all(len(row) == len(head) and all(row[:-1]) for row in rows)

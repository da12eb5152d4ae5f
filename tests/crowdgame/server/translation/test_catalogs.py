import re
from collections.abc import Iterator, Sequence
from io import BytesIO

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from django.conf import settings

from crowdgame.server.translation.extraction import extract_texts, load_catalog, render_catalog
from crowdgame.server.translation.missing import TRANSLATIONS, list_missing, missing_texts

GLOSSARY = settings.BASE_DIR / "locale" / "glossary.tsv"
TAG = re.compile(r"</?[a-z][^>]*>|&\w+;")


def problems(catalog: Catalog) -> Iterator[str]:
    for message in catalog:
        if not message.id:
            continue
        texts, forms = _forms(message.id), _forms(message.string or "")
        yield from (f"{error}: {texts[0]}" for error in message.check(catalog))
        yield from (f"other tags: {form}" for form in forms if form and not _has_tags(form, texts))


def _forms(text: str | Sequence[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def _has_tags(form: str, texts: tuple[str, ...]) -> bool:
    return sorted(TAG.findall(form)) in [sorted(TAG.findall(text)) for text in texts]


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translations_keep_placeholders_and_tags(language: str) -> None:
    assert list(problems(load_catalog(language))) == []


@pytest.mark.nightly
def test_release_has_no_missing_translation() -> None:
    assert list_missing() == []


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (Message("%(a)s", "", flags=["python-format"]), []),
        (Message("%(a)s", "%(b)s", flags=["python-format"]), ["unknown named placeholder 'b': %(a)s"]),
        (Message("a <b>b</b>", "a b"), ["other tags: a b"]),
    ],
)
def test_problems_are_found(message: Message, problem: list[str]) -> None:
    catalog = Catalog("de")
    catalog[message.id] = message
    assert list(problems(catalog)) == problem


def test_missing_texts_are_listed_by_file() -> None:
    catalog = Catalog("de")
    catalog.add("Save", "Sichern", [("a.py", 1)])
    catalog.add("Open", "", [("a.py", 2), ("c.py", 1)])
    catalog.add("Close", "Schlie\u00dfen", [("b.html", 1)], flags=["fuzzy"])
    catalog.add(("%(n)s vote", "%(n)s votes"), ("%(n)s Stimme", ""), [("b.html", 2)])
    assert list(missing_texts(catalog)) == ['a.py: "Open"', 'b.html: "Close"', 'b.html: "%(n)s vote"']


@pytest.mark.nightly
def test_a_new_language_starts_with_all_texts_and_its_plural_forms() -> None:
    catalog = read_po(BytesIO(render_catalog("pl", extract_texts()).encode()))
    assert (str(catalog.locale), catalog.num_plurals) == ("pl", 3)
    assert {message.id for message in catalog} == {message.id for message in load_catalog("de")}


def test_glossary_has_a_term_in_every_language() -> None:
    head, *rows = [line.split("\t") for line in GLOSSARY.read_text().splitlines()]
    assert sorted(head) == sorted(["en", *TRANSLATIONS, "note"])
    assert all(len(row) == len(head) and all(row[:-1]) for row in rows)

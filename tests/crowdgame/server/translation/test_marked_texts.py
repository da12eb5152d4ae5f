import ast
import re
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from django.conf import settings
from django.core.management import call_command
from django.template.base import Lexer, TokenType
from pytest_django.fixtures import Settings

from crowdgame.server.translation import extraction
from crowdgame.server.translation.missing import TRANSLATIONS, list_missing, missing_texts

WORD = re.compile(r"[^\W\d_]{2,}")
NAMES = re.compile(r"Crowdgame|UTC|/cup/")
TEXT_ATTRIBUTES = {"alt", "aria-label", "aria-description", "placeholder", "title", "label"}
TEXT_METADATA = {"description", "og:title", "og:description", "og:image:alt"}
UNTRANSLATED_BLOCKS = {"blocktranslate": "endblocktranslate", "comment": "endcomment"}
CLASS_BLOCKS = {"width"}  # their content is in a class attribute
TEXT_MAPPINGS = {"labels", "help_texts", "error_messages"}
TEXT_ARGUMENTS = {"label", "help_text", "empty_label", *TEXT_MAPPINGS}
GENERATED = "action"  # a decorator whose texts are marked in the generated TypeScript
SHOWN_ERRORS = {
    *("AccountError", "ChatError", "CupError", "DeletionRefused", "MatchError", "PlayError", "RosterError"),
    *("TooManyTickets", "ValidationError"),
}
# Programmers' and administrators' texts stay English, and printed pages are not marked yet.
NO_PAGE = r"/(admin|apps|models)\.py$|/(migrations|management|models)/"
SKIPPED = re.compile(rf"{NO_PAGE}|^crowdgame/templates/(printing|reports)/")
TEMPLATE = """{% load i18n %}
{# Translators: on a button #}
<button aria-label="{% translate 'Close' context 'verb' %}">
{% blocktranslate trimmed count games=games %}
  {{ games }} game by <bdi>{{ name }}</bdi>
{% plural %}
  {{ games }} games by <bdi>{{ name }}</bdi>
{% endblocktranslate %}
  <p>
      {% blocktranslate %}Open{% endblocktranslate %}
    {% translate "Full" %}
  </p>
"""
CODE = """from django.utils.translation import gettext_lazy as _, ngettext
LABEL = _("Team")
def text(n): return ngettext("%(n)s vote", "%(n)s votes", n) % {"n": n}
"""
GLOSSARY = settings.BASE_DIR / "locale" / "glossary.tsv"
TAG = re.compile(r"</?[a-z][^>]*>|&\w+;")


class VisibleTexts(HTMLParser):
    """Collects text and translatable attributes of HTML from which the template tags are removed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in {"script", "style", "code"}
        values = dict(attrs)
        self.found += [value for name, value in attrs if name in TEXT_ATTRIBUTES and value]
        if tag == "meta" and (values.get("name") or values.get("property")) in TEXT_METADATA:
            self.found.append(values.get("content") or "")
        if tag == "input" and values.get("type") in {"button", "reset", "submit"}:
            self.found.append(values.get("value") or "")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in {"script", "style", "code"}

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append(data.strip())


def unmarked_in_template(source: str) -> list[str]:
    html, until = "", ""
    for token in Lexer(source).tokenize():
        tag, *arguments = token.contents.split() or [""]
        if until:
            until = "" if token.token_type == TokenType.BLOCK and tag == until else until
        elif token.token_type == TokenType.TEXT:
            html += token.contents
        elif token.token_type == TokenType.BLOCK:
            class_name = tag == "block" and arguments[0] in CLASS_BLOCKS
            until = "endblock" if class_name else UNTRANSLATED_BLOCKS.get(tag, "")
    return [text for text in VisibleTexts(html).found if WORD.search(NAMES.sub("", text))]


def unmarked_in_code(source: str) -> list[str]:
    """Return the string literals that are passed to forms, messages and shown errors without a marker."""
    return [
        text
        for node in ast.walk(ast.parse(source))
        for shown in _shown_values(node)
        for text in _literals(shown)
        if WORD.search(text)
    ]


def _shown_values(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assign) and any(_name(target) in TEXT_MAPPINGS for target in node.targets):
        yield node.value
    if not isinstance(node, ast.Call) or (called := _name(node.func)) == GENERATED:
        return
    yield from (one.value for one in node.keywords if one.arg in TEXT_ARGUMENTS)
    if called in SHOWN_ERRORS:
        yield from node.args[:1]
    if called == "add_error" or (
        isinstance(node.func, ast.Attribute) and _name(node.func.value) == "messages"
    ):
        yield from node.args[1:]


def _literals(value: ast.expr) -> Iterator[str]:
    """Yield the literals of which the value consists; those inside calls, such as of gettext, are marked."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            yield "".join(str(part.value) for part in value.values if isinstance(part, ast.Constant))
        case ast.BinOp():
            yield from _literals(value.left)
        case ast.IfExp():
            yield from (*_literals(value.body), *_literals(value.orelse))
        case ast.Dict():
            for entry in value.values:
                yield from _literals(entry)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _unmarked(folders: Iterable[str], pattern: str, find: Callable[[str], list[str]]) -> dict[str, list[str]]:
    paths = (path for folder in folders for path in (settings.BASE_DIR / folder).rglob(pattern))
    found = {path.relative_to(settings.BASE_DIR).as_posix(): find(path.read_text()) for path in paths}
    return {name: texts for name, texts in found.items() if texts and not SKIPPED.search(name)}


def test_texts_of_templates_and_code_are_marked() -> None:
    assert _unmarked(["crowdgame"], "templates/**/*.html", unmarked_in_template) == {}
    assert _unmarked(extraction.PACKAGES, "*.py", unmarked_in_code) == {}


def test_placeholders_are_named() -> None:
    catalog = read_po(BytesIO(extraction.render_template(extraction.extract_texts()).encode()))
    braces = [message.id for message in catalog if "python-brace-format" in message.flags]
    assert braces == []


@pytest.fixture
def sources(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.BASE_DIR = tmp_path
    folder = tmp_path / "crowdgame" / "organizer" / "cups" / "templates" / "cups"
    folder.mkdir(parents=True)
    (folder / "cup.html").write_text(TEMPLATE)
    (tmp_path / "crowdgame" / "organizer" / "cups" / "forms.py").write_text(CODE)
    monkeypatch.setattr(extraction, "PACKAGES", ("crowdgame",))
    return tmp_path


def test_texts_of_templates_and_code_are_found_whatever_their_line(sources: Path) -> None:
    listed = extraction.render_template(extraction.extract_texts())
    catalog = read_po(BytesIO(listed.encode()))
    found = {(message.id, message.context) for message in catalog if message.id}
    assert found == {
        ("Team", None),
        (("%(n)s vote", "%(n)s votes"), None),
        ("Close", "verb"),
        ("Open", None),
        ("Full", None),
        (("%(games)s game by <bdi>%(name)s</bdi>", "%(games)s games by <bdi>%(name)s</bdi>"), None),
    }
    places = {place for message in catalog for place, _ in message.locations}
    assert places == {"crowdgame/organizer/cups/forms.py", "crowdgame/organizer/cups/templates/cups/cup.html"}
    (sources / "crowdgame" / "organizer" / "cups" / "forms.py").write_text("\n\n" + CODE)
    assert extraction.render_template(extraction.extract_texts()) == listed
    assert "Date" not in listed


def test_check_only_lists_missing_translations(sources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extraction.catalog_path("de").parent.mkdir(parents=True)
    extraction.catalog_path("de").write_text('msgid ""\nmsgstr ""\n\nmsgid "Team"\nmsgstr "Team"\n')
    call_command("generate_messages")
    for language in TRANSLATIONS:
        catalog = extraction.catalog_path(language).read_text()
        extraction.catalog_path(language, "djangojs").write_text(catalog)
    call_command("generate_messages", check=True)
    head, *missing = capsys.readouterr().err.splitlines()
    assert head == "Not translated, shown in English:"
    assert [line for line in missing if '"Team"' in line] == [
        f'{language}: crowdgame/organizer/cups/forms.py: "Team"'
        for language in TRANSLATIONS
        if language != "de"
        for _domain in ("django", "djangojs")
    ]
    assert 'de: crowdgame/organizer/cups/templates/cups/cup.html: "Full"' in missing


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translations_keep_placeholders_and_tags(language: str) -> None:
    catalog = extraction.load_catalog(language)
    for message in catalog:
        pair = (message.id, message.string or "")
        texts, forms = ((one,) if isinstance(one, str) else tuple(one) for one in pair)
        assert not message.id or [*message.check(catalog)] == [], message.id
        tags = [sorted(TAG.findall(text)) for text in texts]
        assert all(sorted(TAG.findall(form)) in tags for form in forms if message.id and form), forms


@pytest.mark.nightly
def test_release_has_no_missing_translation() -> None:
    assert list_missing() == []


def test_missing_texts_are_listed_by_file() -> None:
    catalog = Catalog("de")
    catalog.add("Save", "Sichern", [("a.py", 1)])
    catalog.add("Open", "", [("a.py", 2), ("c.py", 1)])
    catalog.add("Close", "Schlie\u00dfen", [("b.html", 1)], flags=["fuzzy"])
    catalog.add(("%(n)s vote", "%(n)s votes"), ("%(n)s Stimme", ""), [("b.html", 2)])
    assert list(missing_texts(catalog)) == ['a.py: "Open"', 'b.html: "Close"', 'b.html: "%(n)s vote"']


def test_glossary_has_a_term_in_every_language() -> None:
    head, *rows = [line.split("\t") for line in GLOSSARY.read_text().splitlines()]
    assert sorted(head) == sorted(["en", *TRANSLATIONS, "note"])
    assert all(len(row) == len(head) and all(row[:-1]) for row in rows)

from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.core.management import call_command
from pytest_django.fixtures import Settings

from crowdgame.server.translation import extraction
from crowdgame.server.translation.extraction import catalog_path, extract_texts, render_template
from crowdgame.server.translation.missing import TRANSLATIONS

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


@pytest.fixture
def sources(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.BASE_DIR = tmp_path
    folder = tmp_path / "crowdgame" / "organizer" / "cups" / "templates" / "cups"
    folder.mkdir(parents=True)
    (folder / "cup.html").write_text(TEMPLATE)
    (tmp_path / "crowdgame" / "organizer" / "cups" / "forms.py").write_text(CODE)
    monkeypatch.setattr(extraction, "PACKAGES", ("crowdgame",))
    return tmp_path


def test_texts_of_templates_and_code_are_found(sources: Path) -> None:
    catalog = read_po(BytesIO(render_template(extract_texts()).encode()))
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


def test_list_of_texts_does_not_depend_on_lines_or_dates(sources: Path) -> None:
    before = render_template(extract_texts())
    form = sources / "crowdgame" / "organizer" / "cups" / "forms.py"
    form.write_text("\n\n" + form.read_text())
    assert render_template(extract_texts()) == before
    assert "Date" not in before


def test_check_allows_missing_translations_but_lists_them(
    sources: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog_path("de").parent.mkdir(parents=True)
    catalog_path("de").write_text('msgid ""\nmsgstr ""\n\nmsgid "Team"\nmsgstr "Team"\n')
    call_command("generate_messages")
    for language in TRANSLATIONS:
        catalog_path(language, "djangojs").write_text(catalog_path(language).read_text())
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

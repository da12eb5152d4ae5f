import re
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.server.web.phone_page import choose_language

TEMPLATES = [
    template
    for app in (settings.BASE_DIR / "crowdgame").rglob("templates")
    for template in app.rglob("*.html")
]
SHOWN_TIME = re.compile(r"\|(?:date|time)(?::\"(?:DATE|TIME|SHORT)|\b(?!:))")
LOCALES = settings.BASE_DIR / "frontend" / "src" / "phone" / "locales.ts"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("en-US,en;q=0.9", "en"),
        ("ar-EG", "ar"),
        ("pt-BR,pt;q=0.9,en;q=0.8", "pt"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("DE-at", "de"),
        ("en;q=0.3, fr;q=0.7", "fr"),
        ("es, fr", "es"),
        ("fr;q=0.500, es;q=0.5", "fr"),
        ("zh-CN,zh;q=0.9,en-US;q=0.8", "zh-hans"),
        ("zh-TW,zh;q=0.9,en-US;q=0.8", "zh-hans"),
        ("zh-Hans-CN", "zh-hans"),
        ("it, nl;q=0.9, de;q=0.1", "de"),
        ("it", "en"),
        ("*", "en"),
        ("it, *;q=0.5", "en"),
        ("en;q=0.2, *;q=0.9", "en"),
        ("fr ; q=0.4 , de ;q=0.6", "de"),
        ("den, frisian", "en"),
        ("de-AT;q=0.1, fr;q=0.5, de;q=0.9", "de"),
        ("de, fr;q=nonsense", "en"),
    ],
)
def test_choose_language_prefers_highest_quality_available_language(accepted: str, language: str) -> None:
    assert choose_language(b"", accepted.encode()) == language


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("locale=es", "es"),
        ("a=b&locale=zh", "zh-hans"),
        ("locale=zh-Hans", "zh-hans"),
        ("locale=en", "en"),
        ("locale=it", "de"),
        ("locale=", "de"),
        ("locale=esx", "de"),
        ("stongue=es", "de"),
    ],
)
def test_choose_language_prefers_query_parameter(query: str, language: str) -> None:
    assert choose_language(query.encode(), b"de, en") == language


@given(query=st.binary(max_size=60), accepted=st.binary(max_size=200))
def test_choose_language_always_returns_available_language(query: bytes, accepted: bytes) -> None:
    assert choose_language(query, accepted) in dict(settings.LANGUAGES)


def test_languages_are_those_of_the_phone_menu() -> None:
    menu = re.search(r"LOCALES: .*? = \{(.*?)\};", LOCALES.read_text(), re.DOTALL)
    assert menu is not None
    names = {code.strip('"'): name for code, name in re.findall(r'([\w"-]+): "([^"]+)"', menu[1])}
    assert dict(settings.LANGUAGES) == names


def test_templates_show_times_by_the_filters_that_convert_them() -> None:
    """The server does not know the reader's zone."""
    assert [template.name for template in TEMPLATES if SHOWN_TIME.search(template.read_text())] == []


def test_times_are_marked_for_conversion_except_bare_dates() -> None:
    at = datetime(2026, 9, 21, 18, 5, tzinfo=UTC)
    template = Template(
        "{% load moments %}{{ at|moment }} {{ at|long_moment }} {{ at|day }} {{ at.date|day }}"
    )
    with override("de"):
        shown = template.render(Context({"at": at}))
    assert re.findall(r'datetime="(.*?)"(?: data-moment="(\w+)")?>(.*?)<', shown) == [
        ("2026-09-21T18:05:00+00:00", "short", "21. September 2026 18:05 UTC"),
        ("2026-09-21T18:05:00+00:00", "long", "21. September 2026 18:05 UTC"),
        ("2026-09-21T18:05:00+00:00", "day", "21. September 2026 UTC"),
        ("2026-09-21", "", "21. September 2026 UTC"),
    ]

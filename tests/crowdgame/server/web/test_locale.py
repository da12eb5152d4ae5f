import re

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.server.web.phone_page import choose_language

TEMPLATES = [
    template
    for app in (settings.BASE_DIR / "crowdgame").rglob("templates")
    for template in app.rglob("*.html")
]
SHOWN_TIME = re.compile(r"""(?:(\w+)=)?[\w.]+\|date:"DATE(?:TIME)?_FORMAT"(?! *}} UTC)(?!\|add:" UTC")""")
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


def test_times_in_templates_name_their_time_zone() -> None:
    """The server does not know the reader's zone."""
    shown = [
        (template.name, text, name)
        for template in TEMPLATES
        for text in [template.read_text()]
        for name in SHOWN_TIME.findall(text)
    ]
    assert [template for template, text, name in shown if f"{{{{ {name} }}}} UTC" not in text] == []

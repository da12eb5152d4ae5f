import csv
import io
import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import Client
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_info, override
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.server.web.languages import connection_language
from crowdgame.server.web.phone_page import choose_language
from crowdgame.server.web.spreadsheet import write_csv

SHOWN_TIME = re.compile(r"\|(?:date|time)(?::\"(?:DATE|TIME|SHORT)|\b(?!:))")
LOCALES = settings.BASE_DIR / "frontend" / "src" / "phone" / "locales.ts"


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "DE-at,de;q=0.9,en;q=0.8", "de"),
        ("", "en;q=0.3, fr;q=0.7", "fr"),
        ("", "fr;q=0.500, es;q=0.5", "fr"),
        ("", "zh-TW,zh;q=0.9,en-US;q=0.8", "zh-hans"),
        ("", "zh-Hans-CN", "zh-hans"),
        ("", "it, nl;q=0.9, de;q=0.1", "de"),
        ("", "en;q=0.2, *;q=0.9", "en"),
        ("", "*, de;q=0.5", "en"),
        ("", "fr ; q=0.4 , de ;q=0.6", "de"),
        ("", "den, frisian", "en"),
        ("", "de-AT;q=0.1, fr;q=0.5, de;q=0.9", "de"),
        ("", "de, fr;q=nonsense", "en"),
        ("locale=es", "de, en", "es"),
        ("a=b&locale=zh", "de, en", "zh-hans"),
        ("locale=zh-Hans", "de, en", "zh-hans"),
        ("locale=en", "de, en", "en"),
        *((other, "de, en", "de") for other in ("locale=it", "locale=", "locale=esx", "stongue=es")),
    ],
)
def test_language_is_that_of_the_query_or_best_quality(query: str, accepted: str, language: str) -> None:
    assert choose_language(query.encode(), accepted.encode()) == language


@given(query=st.binary(max_size=60), accepted=st.binary(max_size=200))
def test_choose_language_always_returns_available_language(query: bytes, accepted: bytes) -> None:
    assert choose_language(query, accepted) in dict(settings.LANGUAGES)


def test_languages_are_those_of_the_phone_menu() -> None:
    menu = re.search(r"LOCALES: .*? = \{(.*?)\};", LOCALES.read_text(), re.DOTALL)
    assert menu is not None
    names = {code.strip('"'): name for code, name in re.findall(r'([\w"-]+): "([^"]+)"', menu[1])}
    assert dict(settings.LANGUAGES) == names


def test_times_are_marked_for_conversion_except_bare_dates() -> None:
    """The server does not know the reader's zone."""
    templates = (settings.BASE_DIR / "crowdgame").rglob("templates/**/*.html")
    assert [template.name for template in templates if SHOWN_TIME.search(template.read_text())] == []
    at = datetime(2026, 9, 21, 18, 5, tzinfo=UTC)
    text = "{% load moments %}{{ at|moment }} {{ at|long_moment }} {{ at|day }} {{ at.date|day }}"
    with override("de"):
        shown = Template(text).render(Context({"at": at}))
    assert re.findall(r'datetime="(.*?)"(?: data-moment="(\w+)")?>(.*?)<', shown) == [
        ("2026-09-21T18:05:00+00:00", "short", "21. September 2026 18:05 UTC"),
        ("2026-09-21T18:05:00+00:00", "long", "21. September 2026 18:05 UTC"),
        ("2026-09-21T18:05:00+00:00", "day", "21. September 2026 UTC"),
        ("2026-09-21", "", "21. September 2026 UTC"),
    ]


def test_pages_are_in_the_language_of_the_browser_or_a_chosen_one_that_is_kept(client: Client) -> None:
    page = client.get("/privacy", headers={"accept-language": "ar-EG,en;q=0.5"})
    assert '<html lang="ar" dir="rtl">' in page.content.decode()
    assert "Accept-Language" in page.headers["Vary"]
    assert get_language() == "en"
    for unknown in ("tlh", "", "../de", "de\r\nSet-Cookie: a=b"):
        page = client.get("/rules", {"locale": unknown}, headers={"accept-language": "fr"})
        assert '<html lang="fr">' in page.content.decode()
        assert "language" not in client.cookies
    chosen = client.get("/rules?locale=de", headers={"accept-language": "fr"})
    assert chosen.cookies["language"]["httponly"]
    kept = client.get("/rules", headers={"accept-language": "fr"})
    assert '<html lang="de">' in chosen.content.decode()
    assert '<html lang="de">' in kept.content.decode()


@pytest.mark.django_db
def test_the_menu_links_to_every_language_and_keeps_the_query(client: Client) -> None:
    page = client.get("/play/ratings?page=1").content.decode()
    for code, _name in settings.LANGUAGES:
        assert f'lang="{code}" hreflang="{code}" href="?page=1&amp;locale={code}"' in page
        assert f">{capfirst(get_language_info(code)['name_local'])}</a>" in page


def test_the_admin_is_in_english(admin_client: Client) -> None:
    page = admin_client.get("/admin/?locale=de")
    assert page.headers["Content-Language"] == "en"
    assert page.cookies["language"].value == "de"


def test_a_socket_has_the_language_of_its_cookie_or_headers() -> None:
    scope = {"type": "websocket", "path": "/ws/console", "headers": [(b"accept-language", b"zh-CN,en;q=0.5")]}
    assert connection_language(scope) == "zh-hans"
    scope["headers"] = [*scope["headers"], (b"cookie", b"language=de")]
    assert connection_language(scope) == "de"
    assert connection_language({**scope, "headers": []}) == "en"


def written(language: str, *rows: list[object]) -> str:
    text = io.StringIO(newline="")
    with override(language):
        write_csv(text, rows)
    return text.getvalue()


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        *(("en", "a,b;c,1.5,-2.0000,"), ("zh-hans", "a,b;c,1.5,-2.0000,"), ("ar", 'a;"b;c";1.5;-2.0000;')),
        *((language, 'a;"b;c";1,5;-2,0000;') for language in ("de", "es", "fr", "pt")),
    ],
)
def test_separators_are_those_of_the_language(language: str, expected: str) -> None:
    assert written(language, ["a", "b;c", 1.5, Decimal("-2.0000"), None]) == f"\ufeff{expected}\r\n"


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+49", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201"],
)
def test_text_that_begins_a_formula_is_escaped(text: str) -> None:
    plain = written("en", [text, f"x{text}"]).removeprefix("\ufeff")
    assert list(csv.reader(io.StringIO(plain, newline=""))) == [[f"'{text}", f"x{text}"]]

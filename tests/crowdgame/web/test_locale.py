"""Locale selection from the query string and the Accept-Language header."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.web.phone_page import choose_locale

LOCALES = ("en", "de", "es", "fr", "zh")


@pytest.mark.parametrize(
    ("accepted", "locale"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("DE-at", "de"),
        ("en;q=0.3, fr;q=0.7", "fr"),
        ("es, fr", "es"),
        ("fr;q=0.500, es;q=0.5", "fr"),
        ("zh-TW,zh;q=0.9,en-US;q=0.8", "zh"),
        ("zh-Hans-CN", "zh"),
        ("it, nl;q=0.9, de;q=0.1", "de"),
        ("it", "en"),
        ("*", "en"),
        ("it, *;q=0.5", "en"),
        ("en;q=0, *", "de"),
        ("fr;q=0", "en"),
        ("de;q=0, it", "en"),
        ("en;q=0.2, *;q=0.9", "de"),
        ("fr ; q=0.4 , de ;q=0.6", "de"),
        ("den, frisian", "en"),
        ("de-AT;q=0.1, fr;q=0.5, de;q=0.9", "de"),
        ("de, fr;q=nonsense", "en"),
    ],
)
def test_choose_locale_prefers_highest_quality_available_locale(accepted: str, locale: str) -> None:
    assert choose_locale(b"", accepted.encode(), LOCALES) == locale


@pytest.mark.parametrize(
    ("query", "locale"),
    [
        ("locale=es", "es"),
        ("a=b&locale=zh", "zh"),
        ("locale=it", "de"),
        ("locale=", "de"),
        ("locale=esx", "de"),
        ("stongue=es", "de"),
    ],
)
def test_choose_locale_prefers_query_parameter(query: str, locale: str) -> None:
    assert choose_locale(query.encode(), b"de, en", LOCALES) == locale


@given(query=st.binary(max_size=60), accepted=st.binary(max_size=200))
def test_choose_locale_always_returns_available_locale(query: bytes, accepted: bytes) -> None:
    assert choose_locale(query, accepted, LOCALES) in LOCALES


@given(st.permutations(LOCALES), st.sampled_from(LOCALES))
def test_choose_locale_finds_only_accepted_locale_in_any_order(available: list[str], locale: str) -> None:
    assert choose_locale(b"", f"xx-YY, {locale}-ZZ;q=0.001".encode(), available) == locale

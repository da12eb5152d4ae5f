"""Which of the languages of a page somebody gets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.web.locale import tongue_of

SPOKEN = ("en", "de", "es", "fr", "zh")


@pytest.mark.parametrize(
    ("accepted", "tongue"),
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
        ("de;q=2, fr;q=nonsense, es;q=0.1", "es"),
        (",,;q=1,-,fr,", "fr"),
    ],
)
def test_the_language_wanted_most_of_those_that_are_spoken(accepted: str, tongue: str) -> None:
    assert tongue_of(b"", accepted.encode(), SPOKEN) == tongue


@pytest.mark.parametrize(
    ("query", "tongue"),
    [
        (b"tongue=es", "es"),
        (b"a=b&tongue=zh", "zh"),
        (b"tongue=it", "de"),
        (b"tongue=", "de"),
        (b"tongue=esx", "de"),
        (b"stongue=es", "de"),
    ],
)
def test_who_asks_for_one_gets_it(query: bytes, tongue: str) -> None:
    assert tongue_of(query, b"de, en", SPOKEN) == tongue


@given(query=st.binary(max_size=60), accepted=st.binary(max_size=200))
def test_whatever_is_asked_for_a_page_is_found(query: bytes, accepted: bytes) -> None:
    assert tongue_of(query, accepted, SPOKEN) in SPOKEN


@given(st.permutations(SPOKEN), st.sampled_from(SPOKEN))
def test_a_browser_with_one_language_gets_it_wherever_it_stands(spoken: list[str], tongue: str) -> None:
    assert tongue_of(b"", f"xx-YY, {tongue}-ZZ;q=0.001".encode(), spoken) == tongue

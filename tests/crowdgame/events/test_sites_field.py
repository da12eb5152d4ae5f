"""The sites that may embed an event are stored as origins, and nothing else gets into a response header."""

import pytest
from django.core.exceptions import ValidationError

from crowdgame.events.sites_field import SitesField


@pytest.mark.parametrize(
    ("typed", "origins"),
    [
        ("", ""),
        ("https://school.example", "https://school.example"),
        ("https://School.Example:443/news/?page=1#top", "https://school.example"),
        ("https://school.example:8443", "https://school.example:8443"),
        ("https://b.example,\n https://a.example https://b.example/", "https://b.example https://a.example"),
        ("https://schüler.example", "https://xn--schler-5ya.example"),
        ("https://192.0.2.1", "https://192.0.2.1"),
        (" ".join(f"https://{number}.example" for number in range(10)), None),
    ],
)
def test_sites_are_stored_as_origins(typed: str, origins: str | None) -> None:
    stored = SitesField().clean(typed)
    assert stored == origins if origins is not None else len(stored.split()) == 10


@pytest.mark.parametrize(
    "site",
    [
        *("http://school.example", "school.example", "javascript:alert(1)", "https:", "https://", "*"),
        *("https://*.example", "https://a.example;script-src", "'self'", "data:", "https://a..b"),
        *("https://user@school.example", "https://school.example:99999", "https://school.example:x"),
        *("https://[::1]", "https://[", "https://-", "https://school.example.", "https://a\x7fb.example"),
        "https://" + "a." * 500 + "example",
    ],
)
def test_other_addresses_are_refused(site: str) -> None:
    with pytest.raises(ValidationError):
        SitesField().clean(site)

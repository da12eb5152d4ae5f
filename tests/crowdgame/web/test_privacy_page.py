"""What is kept, in plain words: for anybody, without a script, a cookie or a look at the database."""

import re

from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.web.content_policy import INLINE


def test_it_says_for_how_long_with_the_number_of_this_house(client: Client, settings: Settings) -> None:
    settings.RETENTION_DAYS = 7
    assert "<strong>7 days</strong>" in client.get("/privacy").content.decode()
    settings.RETENTION_DAYS = 1
    assert "<strong>1 day</strong>" in client.get("/privacy").content.decode()


def test_it_sets_no_cookie_and_runs_nothing(client: Client) -> None:
    """Without the database's mark this test would fail at a look into it."""
    answer = client.get("/privacy")
    assert answer.status_code == 200
    assert not answer.cookies
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    page = answer.content
    assert not INLINE.findall(page)
    assert b"<script" not in page
    assert b"style=" not in page


def test_it_leads_nowhere_else(client: Client) -> None:
    page = client.get("/privacy").content.decode()
    names = ("tokens/stage", "tokens/rooms", "tokens/buttons", "console/console")
    sheets = {f"/static/{name}.css" for name in names}
    assert set(re.findall(r'(?:href|src)="([^"]+)"', page)) <= {"/", "data:,", *sheets}


def test_it_is_for_reading_only(client: Client) -> None:
    assert client.post("/privacy").status_code == 405


def test_the_organizers_pages_lead_to_it(client: Client) -> None:
    assert 'href="/privacy"' in client.get("/console/login/").content.decode()

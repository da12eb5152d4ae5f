"""The privacy page: the retention period, without scripts, cookies or database queries."""

import re

from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.web.content_policy import INLINE_BLOCK


def test_privacy_page_shows_configured_retention_days(client: Client, settings: Settings) -> None:
    settings.RETENTION_DAYS = 7
    assert "<strong>7 days</strong>" in client.get("/privacy").content.decode()
    settings.RETENTION_DAYS = 1
    assert "<strong>1 day</strong>" in client.get("/privacy").content.decode()


def test_privacy_page_sets_no_cookie_and_forbids_scripts(client: Client) -> None:
    """Without the django_db mark, a database query fails this test."""
    response = client.get("/privacy")
    assert response.status_code == 200
    assert not response.cookies
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
    assert "script-src" not in response.headers["Content-Security-Policy"]
    page = response.content
    assert not INLINE_BLOCK.findall(page)
    assert b"<script" not in page
    assert b"style=" not in page


def test_privacy_page_loads_only_own_stylesheets(client: Client) -> None:
    page = client.get("/privacy").content.decode()
    names = ("tokens/stage", "tokens/pages", "tokens/components", "console/console")
    sheets = {f"/static/{name}.css" for name in names}
    assert set(re.findall(r'(?:href|src)="([^"]+)"', page)) <= {"/", "data:,", *sheets}


def test_privacy_page_rejects_post(client: Client) -> None:
    assert client.post("/privacy").status_code == 405


def test_login_page_links_to_privacy_page(client: Client) -> None:
    assert 'href="/privacy"' in client.get("/console/login/").content.decode()

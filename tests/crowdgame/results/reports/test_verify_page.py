"""`/verify`: a built page that needs no database and talks to this server only."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.voting.match_helpers import RED_WINS, play, start
from voting.ballot_box.ballot_box import BallotBox

PAGE = "<!doctype html><html lang='{}'><script type=module src=/static/app/verify.js></script>"


@pytest.fixture(autouse=True)
def built(settings: Settings, tmp_path: Path) -> Path:
    settings.PAGES_DIR = tmp_path
    (tmp_path / "verify.html").write_text(PAGE.format("en"))
    (tmp_path / "verify.de.html").write_text(PAGE.format("de"))
    return tmp_path


def test_verify_page_is_in_the_readers_language_and_closed(client: Client) -> None:
    for language, served in (("de", "de"), ("fr", "en")):
        response = client.get("/verify", headers={"accept-language": language})
        assert response.content.decode() == PAGE.format(served)
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "connect-src 'self'" in policy
        assert "unsafe" not in policy
        assert response.headers["Cache-Control"] == "no-cache"
        assert not response.cookies
    assert client.post("/verify").status_code == 405


def test_verify_page_answers_503_without_a_build(client: Client, built: Path) -> None:
    for page in built.iterdir():
        page.unlink()
    assert client.get("/verify").status_code == 503


@pytest.mark.django_db
def test_report_links_to_the_verification_of_its_match(client: Client, box: BallotBox) -> None:
    match = start(box).match
    play(match, box, RED_WINS)
    code = match.event.code
    assert f'href="/verify?match={code}/1"' in client.get(f"/report/{code}/1").content.decode()

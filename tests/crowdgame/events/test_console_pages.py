"""The organizer's pages: access, contents and deletion."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from games.models import Event
from tests.voting.content_policy import sources
from tests.voting.page_fixtures import browser, event, organizer, other
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_match

__all__ = ["browser", "event", "organizer", "other"]

pytestmark = pytest.mark.django_db


# ------------------------------------------------------------------ access
@pytest.mark.parametrize(
    "path",
    [
        "/console/",
        "/console/new/",
        "/console/new/empty/",
        "/console/BCDF/",
        "/console/BCDF/edit/",
        "/console/BCDF/delete/",
    ],
)
def test_anonymous_user_is_redirected_to_login(client: Client, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.headers["Location"]) == (302, f"/console/login/?next={path}")


@pytest.mark.usefixtures("valkey_url")
def test_organizer_logs_in_and_out(client: Client, organizer: User) -> None:
    wrong = client.post("/console/login/", {"username": "ada", "password": "byron"})
    assert "Wrong username or password" in wrong.content.decode()
    empty = client.post("/console/login/", {"username": "", "password": ""})
    assert "Enter your username and password" in empty.content.decode()
    right = client.post("/console/login/", {"username": "ada", "password": "lovelace"})
    assert right.headers["Location"] == "/console/"
    assert client.get("/console/logout/").status_code == 405
    assert client.post("/console/logout/").headers["Location"] == "/console/login/"
    assert client.get("/console/").status_code == 302


@pytest.mark.parametrize("page", ["", "edit/", "delete/"])
def test_other_users_event_pages_return_404(client: Client, event: Event, other: User, page: str) -> None:
    client.force_login(other)
    assert client.get(f"/console/{event.code}/{page}").status_code == 404
    assert client.post(f"/console/{event.code}/{page}").status_code == 404
    assert "Gala" not in client.get("/console/").content.decode()
    assert Event.objects.filter(pk=event.pk).exists()


def test_superuser_sees_every_event(client: Client, event: Event, other: User) -> None:
    User.objects.filter(pk=other.pk).update(is_superuser=True)
    client.force_login(other)
    assert "owned by ada" in client.get("/console/").content.decode()
    assert client.get(f"/console/{event.code}/edit/").status_code == 200


# ------------------------------------------------------------------ pages
def test_console_pages_have_csp_and_no_inline_code(browser: Client, event: Event) -> None:
    paths = [
        "",
        "new/",
        "new/empty/",
        f"{event.code}/edit/",
        f"{event.code}/delete/",
        "enter/MQ/x-y/",
        "login/",
    ]
    for path in paths:
        response = browser.get(f"/console/{path}")
        assert response.status_code in {200, 302, 410}
        assert sources(response.headers["Content-Security-Policy"])["default-src"] == {"'self'"}
        assert not re.search(r"<script|<style| style=| on[a-z]+=", response.content.decode())


def test_empty_event_list_offers_first_event(browser: Client) -> None:
    assert "Create your first event" in browser.get("/console/").content.decode()


def test_event_list_links_to_console_display_and_join_page(browser: Client, event: Event) -> None:
    page = browser.get("/console/").content.decode()
    for address in (f"/console/{event.code}/", f"/display/{event.code}", f"/{event.code}"):
        assert f'href="{address}"' in page
    Event.objects.filter(pk=event.pk).update(team_choice="link")
    page = browser.get("/console/").content.decode()
    assert f'href="/{event.code}/1"' in page
    assert f'href="/{event.code}/2"' in page


def test_console_page_is_served_to_owner(
    browser: Client, event: Event, settings: Settings, tmp_path: Path
) -> None:
    settings.PAGES_DIR = tmp_path
    missing = browser.get(f"/console/{event.code}/")
    assert missing.status_code == 503
    assert "The front end is not built" in missing.content.decode()
    (tmp_path / "console.html").write_text("<!doctype html><script type=module src=/a.js></script>")
    response = browser.get(f"/console/{event.code.lower()}/")
    assert response.content.startswith(b"<!doctype html>")
    assert sources(response.headers["Content-Security-Policy"])["script-src"] == {"'self'"}


# ------------------------------------------------------------------ deletion
def test_event_deletion_asks_for_confirmation(browser: Client, event: Event) -> None:
    assert "cannot be undone" in browser.get(f"/console/{event.code}/delete/").content.decode()
    assert Event.objects.filter(pk=event.pk).exists()
    assert browser.post(f"/console/{event.code}/delete/").status_code == 302
    assert not Event.objects.filter(pk=event.pk).exists()


def test_playing_event_cannot_be_deleted(browser: Client, event: Event, box: BallotBox) -> None:
    match = start_match(event.pk, box)
    assert browser.post(f"/console/{event.code}/delete/").status_code == 409
    match.turns.update(state="void")
    event.matches.update(state="aborted", ended_at=1)
    assert browser.post(f"/console/{event.code}/delete/").status_code == 302
    assert not Event.objects.filter(pk=event.pk).exists()

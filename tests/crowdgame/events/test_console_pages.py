"""The organizer's pages: login, contents and deletion."""

import re
import threading
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from tests.voting.content_policy import sources
from voting.admission.admission import projector_key
from voting.admission.tickets import make_tickets
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import event_lock
from voting.models import Event
from voting.terms import MatchState
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
LONG_ENOUGH_S = 1.0


@pytest.mark.usefixtures("valkey_url")
def test_organizer_logs_in_and_out(client: Client, organizer: User) -> None:
    wrong = client.post("/console/login/", {"login": "ada", "password": "byron"})
    assert "Wrong name or password" in wrong.content.decode()
    empty = client.post("/console/login/", {"login": "", "password": ""})
    assert "This field is required" in empty.content.decode()
    right = client.post("/console/login/", {"login": "ada", "password": "lovelace"})
    assert right.headers["Location"] == "/console/"
    assert client.get("/console/logout/").status_code == 200
    assert client.get("/console/").status_code == 200, "a link alone logs nobody out"
    assert client.post("/console/logout/").headers["Location"] == "/console/login/"
    assert client.get("/console/").status_code == 302


@pytest.mark.parametrize(
    "path",
    [
        *("", "new/", "new/empty/", "EVENT/edit/", "EVENT/delete/", "EVENT/tickets/"),
        *("enter/MQ/x-y/", "login/"),
    ],
)
def test_console_pages_have_no_inline_code(path: str, browser: Client, event: Event) -> None:
    make_tickets(event, 3)
    response = browser.get(f"/console/{path.replace('EVENT', event.code)}")
    assert response.status_code in {200, 302, 410}
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=", response.content.decode())


def test_event_list_links_to_console_display_and_join_page(browser: Client, event: Event) -> None:
    def assert_links(*addresses: str) -> None:
        page = browser.get("/console/").content.decode()
        assert [address for address in addresses if f'href="{address}"' not in page] == []

    stage, console = f"/stage/{event.code}#", f"/console/{event.code}/"
    assert_links(console, stage + projector_key(event.code, 0), f"/{event.code}")
    Event.objects.filter(pk=event.pk).update(team_choice="link", display_key_version=1)
    assert_links(f"/{event.code}/1", f"/{event.code}/2", stage + projector_key(event.code, 1))
    event.delete()
    assert_links("/console/new/empty/")


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
    (tmp_path / "console.ar.html").write_text("<!doctype html><html lang=ar>")
    arabic = browser.get(f"/console/{event.code}/", headers={"accept-language": "ar"})
    assert arabic.content == b"<!doctype html><html lang=ar>"


def test_event_is_deleted_after_confirmation_unless_a_match_is_live(
    browser: Client, event: Event, box: BallotBox
) -> None:
    path = f"/console/{event.code}/delete/"
    match = start_match(event.pk, box)
    assert browser.post(path).status_code == 409
    match.turns.update(state="void")
    event.matches.update(state="aborted", ended_at=1)
    assert "cannot be undone" in browser.get(path).content.decode()
    assert Event.objects.filter(pk=event.pk).exists()
    assert [browser.post(path).status_code for _ in range(2)] == [302, 404]
    assert not Event.objects.filter(pk=event.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_event_is_not_deleted_while_match_starts(browser: Client, event: Event, box: BallotBox) -> None:
    """The deletion is requested after the match is written and before it is committed."""
    answers, started = list[int](), threading.Event()

    def delete() -> None:
        started.set()
        answers.append(browser.post(f"/console/{event.code}/delete/").status_code)
        connection.close()

    thread = threading.Thread(target=delete)
    with event_lock(event.pk):
        start_match(event.pk, box)
        thread.start()
        assert started.wait(10)
        thread.join(LONG_ENOUGH_S)
        assert thread.is_alive()
    thread.join(20)
    assert answers == [409]
    assert event.matches.filter(state=MatchState.PLAYING).exists()

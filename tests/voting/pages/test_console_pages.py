"""The organizer's pages, through Django and a real database."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from games.matches import create_event
from games.models import Event
from voting.box.ballot_box import BallotBox
from voting.match.turns import start_match
from voting.models import Announcement
from voting.pages.sign_in import LIFE_S, EntryTokens, entry_path, entry_tokens

pytestmark = pytest.mark.django_db

SIMULTANEOUS, CLASSIC = "simultaneous-captains-mistress", "captains-mistress"


@pytest.fixture
def organizer() -> User:
    return User.objects.create_user("ada", password="lovelace")


@pytest.fixture
def other() -> User:
    return User.objects.create_user("bob", password="builder")


@pytest.fixture
def browser(client: Client, organizer: User) -> Client:
    client.force_login(organizer)
    return client


@pytest.fixture
def event(organizer: User) -> Event:
    return create_event(organizer, "Gala", ("North", "South"))


def answers(**changes: Any) -> dict[str, Any]:
    """A whole form as a browser sends it."""
    return {
        "name": "Harbour night",
        "team_1": "Port",
        "team_2": "Starboard",
        "game": SIMULTANEOUS,
        f"{SIMULTANEOUS}-columns": "7",
        f"{SIMULTANEOUS}-token": "lot",
        f"{SIMULTANEOUS}-tie": "other",
        f"{CLASSIC}-columns": "7",
        f"{CLASSIC}-first": "lot",
        "window_s_usual": "20",
        "window_s_number": "",
        "window_s_unit": "1",
        "reveal_s_usual": "6",
        "reveal_s_number": "",
        "reveal_s_unit": "1",
        "tally_method": "plurality",
        "tie_rule": "first",
        "no_ballot_rule": "random",
        "team_choice": "balance",
        "admission": "open",
        "next_match_after_s_usual": "",
        "next_match_after_s_number": "",
        "next_match_after_s_unit": "1",
    } | changes


# ------------------------------------------------------------------ who gets in
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
def test_a_stranger_is_sent_to_the_login(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/console/login/?next={path}")


@pytest.mark.usefixtures("valkey_url")
def test_login_and_logout(client: Client, organizer: User) -> None:
    wrong = client.post("/console/login/", {"username": "ada", "password": "byron"})
    assert "do not belong together" in wrong.content.decode()
    empty = client.post("/console/login/", {"username": "", "password": ""})
    assert "Enter your name and your password" in empty.content.decode()
    right = client.post("/console/login/", {"username": "ada", "password": "lovelace"})
    assert right.headers["Location"] == "/console/"
    assert client.get("/console/logout/").status_code == 405
    assert client.post("/console/logout/").headers["Location"] == "/console/login/"
    assert client.get("/console/").status_code == 302


@pytest.mark.parametrize("page", ["", "edit/", "delete/"])
def test_others_events_are_not_there(client: Client, event: Event, other: User, page: str) -> None:
    client.force_login(other)
    assert client.get(f"/console/{event.code}/{page}").status_code == 404
    assert client.post(f"/console/{event.code}/{page}").status_code == 404
    assert "Gala" not in client.get("/console/").content.decode()
    assert Event.objects.filter(pk=event.pk).exists()


def test_a_superuser_sees_every_event(client: Client, event: Event, other: User) -> None:
    User.objects.filter(pk=other.pk).update(is_superuser=True)
    client.force_login(other)
    assert "of ada" in client.get("/console/").content.decode()
    assert client.get(f"/console/{event.code}/edit/").status_code == 200


# ------------------------------------------------------------------ pages
def test_pages_carry_nothing_inline(browser: Client, event: Event) -> None:
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
        answer = browser.get(f"/console/{path}")
        assert answer.status_code in {200, 302, 410}
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'self';")
        assert not re.search(r"<script|<style| style=| on[a-z]+=", answer.content.decode())


def test_the_list_is_friendly_when_empty(browser: Client) -> None:
    assert "Make your first event" in browser.get("/console/").content.decode()


def test_the_list_leads_everywhere(browser: Client, event: Event) -> None:
    page = browser.get("/console/").content.decode()
    for address in (f"/console/{event.code}/", f"/display/{event.code}", f"/{event.code}"):
        assert f'href="{address}"' in page
    Event.objects.filter(pk=event.pk).update(team_choice="link")
    page = browser.get("/console/").content.decode()
    assert f'href="/{event.code}/1"' in page
    assert f'href="/{event.code}/2"' in page


def test_the_control_room_is_served_to_its_owner(
    browser: Client, event: Event, settings: Settings, tmp_path: Path
) -> None:
    settings.PAGES_DIR = tmp_path
    missing = browser.get(f"/console/{event.code}/")
    assert missing.status_code == 503
    assert "The front end is not built" in missing.content.decode()
    (tmp_path / "console.html").write_text("<!doctype html><script type=module src=/a.js></script>")
    answer = browser.get(f"/console/{event.code.lower()}/")
    assert answer.content.startswith(b"<!doctype html>")
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]


# ------------------------------------------------------------------ new and edit
def test_a_new_event_is_as_it_was_filled_in(browser: Client, organizer: User) -> None:
    chosen = answers(close_early="on", tally_method="lottery", next_match_after_s_usual="30")
    answer = browser.post("/console/new/empty/", chosen)
    event = organizer.events.get()
    assert answer.headers["Location"] == f"/console/{event.code}/"
    assert (event.name, event.window_s, event.reveal_s, event.next_match_after_s) == (
        "Harbour night",
        20,
        6,
        30,
    )
    assert (event.tally_method, event.close_early) == ("lottery", True)
    assert event.options == {"columns": 7, "rows": 6, "token": "lot", "tie": "other"}
    assert [team.name for team in event.teams.order_by("number")] == ["Port", "Starboard"]


def test_each_game_has_its_own_options(browser: Client, organizer: User) -> None:
    chosen = {"game": CLASSIC, f"{CLASSIC}-columns": "6", f"{CLASSIC}-first": "yellow"}
    browser.post("/console/new/empty/", answers(**chosen))
    event = organizer.events.get()
    assert (event.game, event.options) == (CLASSIC, {"columns": 6, "rows": 6, "first": "yellow"})
    page = browser.get(f"/console/{event.code}/edit/").content.decode()
    assert re.search(r'name="captains-mistress-columns" value="6"[^>]* checked', page)
    assert re.search(r'name="simultaneous-captains-mistress-columns" value="7"[^>]* checked', page)


@pytest.mark.parametrize(
    ("number", "unit", "seconds"), [("3", "1", 3), ("90", "60", 5400), ("30", "86400", 2_592_000)]
)
def test_windows_of_any_length(
    browser: Client, organizer: User, number: str, unit: str, seconds: int
) -> None:
    own = {"window_s_usual": "other", "window_s_number": number, "window_s_unit": unit}
    browser.post("/console/new/empty/", answers(**own))
    event = organizer.events.get()
    assert event.window_s == seconds
    page = browser.get(f"/console/{event.code}/edit/").content.decode()
    assert f'name="window_s_number" value="{number}"' in page


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"name": "x" * 81}, "at most 80 characters"),
        ({"team_2": ""}, "Give the team a name."),
        ({"team_2": "PORT"}, "The teams need two different names."),
        ({"game": "chess"}, "Select a valid choice"),
        ({f"{SIMULTANEOUS}-columns": "9"}, "Choose one of these."),
        ({"window_s_usual": ""}, "Choose how long."),
        ({"window_s_usual": "other"}, "Say how long: a number and a unit."),
        (
            {"window_s_usual": "other", "window_s_number": "2"},
            "Choose between 3 seconds and 30 days.",
        ),
        (
            {"window_s_usual": "other", "window_s_number": "31", "window_s_unit": "86400"},
            "Choose between 3 seconds and 30 days.",
        ),
        ({"window_s_usual": "other", "window_s_number": "1e9"}, "Enter a whole number."),
        ({"tie_rule": "coin"}, "Select a valid choice"),
    ],
)
def test_wrong_answers_are_told_and_make_nothing(browser: Client, changes: dict[str, str], text: str) -> None:
    answer = browser.post("/console/new/empty/", answers(**changes))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert text in page
    assert "Not saved yet" in page
    assert not Event.objects.exists()


def test_an_untouched_new_form_has_the_usual_choices(browser: Client) -> None:
    page = browser.get("/console/new/empty/").content.decode()
    for name, value in [("game", SIMULTANEOUS), ("window_s_usual", "20"), ("reveal_s_usual", "6")]:
        assert re.search(rf'name="{name}" value="{value}"[^>]* checked', page)


def test_an_edit_is_told_to_the_screens(browser: Client, event: Event, box: BallotBox) -> None:
    start_match(event.pk, box)
    before = Event.objects.get(pk=event.pk)
    answer = browser.post(f"/console/{event.code}/edit/", answers(team_1="Larboard"), follow=True)
    assert "change with the next match" in answer.content.decode()
    after = Event.objects.get(pk=event.pk)
    assert after.seq == before.seq + 1
    assert after.lobby == before.lobby
    assert b"Larboard" in bytes(Announcement.objects.get(event=event, seq=after.seq).body)
    assert after.matches.get().window_s == before.window_s


def test_an_edit_does_not_turn_back_what_moved_on_meanwhile(
    browser: Client, event: Event, box: BallotBox
) -> None:
    browser.get(f"/console/{event.code}/edit/")
    start_match(event.pk, box)
    browser.post(f"/console/{event.code}/edit/", answers())
    after = Event.objects.get(pk=event.pk)
    assert (after.lobby, after.seq, after.name) == ("open", 2, "Harbour night")


def test_an_edit_is_kept_when_the_screens_cannot_be_told(
    browser: Client, event: Event, settings: Settings
) -> None:
    settings.BALLOT_BOX_URL = "redis://127.0.0.1:1/0"
    answer = browser.post(f"/console/{event.code}/edit/", answers(), follow=True)
    assert "The screens cannot be told now" in answer.content.decode()
    assert Event.objects.get(pk=event.pk).name == "Harbour night"


# ------------------------------------------------------------------ delete
def test_deleting_asks_first(browser: Client, event: Event) -> None:
    assert "cannot be undone" in browser.get(f"/console/{event.code}/delete/").content.decode()
    assert Event.objects.filter(pk=event.pk).exists()
    assert browser.post(f"/console/{event.code}/delete/").status_code == 302
    assert not Event.objects.filter(pk=event.pk).exists()


def test_a_playing_event_is_not_deleted(browser: Client, event: Event, box: BallotBox) -> None:
    match = start_match(event.pk, box)
    assert browser.post(f"/console/{event.code}/delete/").status_code == 409
    match.turns.update(state="void")
    event.matches.update(state="aborted", ended_at=1)
    assert browser.post(f"/console/{event.code}/delete/").status_code == 302
    assert not Event.objects.filter(pk=event.pk).exists()


# ------------------------------------------------------------------ the link that logs in
def test_a_link_logs_in_once(client: Client, organizer: User) -> None:
    path = entry_path(organizer)
    looked_at = client.get(path)
    assert "Enter the control room" in looked_at.content.decode()
    assert "_auth_user_id" not in client.session
    assert client.post(path).headers["Location"] == "/console/"
    assert client.session["_auth_user_id"] == str(organizer.pk)
    later = Client()
    assert later.get(path).status_code == 410
    assert later.post(path).status_code == 410
    assert "_auth_user_id" not in later.session


def test_a_link_may_lead_to_a_control_room(client: Client, organizer: User, event: Event) -> None:
    answer = client.post(entry_path(organizer, event.code))
    assert answer.headers["Location"] == f"/console/{event.code}/"


def test_a_link_is_spent_by_any_login(client: Client, organizer: User) -> None:
    path = entry_path(organizer)
    client.login(username="ada", password="lovelace")
    assert Client().post(path).status_code == 410


def test_a_link_made_and_spent_in_the_second_of_the_last_login(client: Client, organizer: User) -> None:
    organizer.last_login = timezone.now().replace(microsecond=1)
    organizer.save()
    token = entry_tokens.make_token(organizer)
    organizer.last_login = organizer.last_login.replace(microsecond=2)
    assert not entry_tokens.check_token(organizer, token)


class YesterdaysTokens(EntryTokens):
    def _now(self) -> Any:
        return super()._now() - timedelta(seconds=LIFE_S + 1)


def test_a_link_grows_old(organizer: User) -> None:
    assert not entry_tokens.check_token(organizer, YesterdaysTokens().make_token(organizer))


@pytest.mark.parametrize("path", ["MQ/nonsense/", "!!/a-b/", "MQ/a-b/BCDF/", "OTk5/a-b/"])
def test_no_such_link(client: Client, organizer: User, path: str) -> None:
    answer = client.get(f"/console/enter/{path}")
    assert answer.status_code == 410
    assert "used up" in answer.content.decode()


def test_a_link_lets_in_nobody_who_was_shut_out(client: Client, organizer: User) -> None:
    path = entry_path(organizer)
    User.objects.filter(pk=organizer.pk).update(is_active=False)
    assert client.post(path).status_code == 410

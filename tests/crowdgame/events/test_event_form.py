"""The event form: creation, validation, and edits that are announced to the screens."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from games.models import Event
from tests.voting.page_fixtures import CLASSIC, SIMULTANEOUS, answers, browser, event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.methods import DEFAULT_METHOD, METHODS
from voting.models import Announcement
from voting.turns.turns import start_match

__all__ = ["browser", "event", "organizer"]

pytestmark = pytest.mark.django_db


def test_event_form_creates_event(browser: Client, organizer: User) -> None:
    fields = answers(close_early="on", tally_method="lottery", next_match_after_s_usual="30")
    response = browser.post("/console/new/empty/", fields)
    event = organizer.events.get()
    assert response.headers["Location"] == f"/console/{event.code}/"
    assert (event.name, event.window_s, event.reveal_s, event.next_match_after_s) == (
        "Harbour night",
        20,
        6,
        30,
    )
    assert (event.tally_method, event.close_early) == ("lottery", True)
    assert event.options == {"columns": 7, "rows": 6, "token": "lot", "tie": "other"}
    assert [team.name for team in event.teams.order_by("number")] == ["Port", "Starboard"]


def test_resign_rule_is_set_and_cleared(browser: Client, organizer: User) -> None:
    fields = answers(tally_method="approval", tie_rule="captain", resign="two_thirds")
    browser.post("/console/new/empty/", fields)
    event = organizer.events.get()
    assert (event.tally_method, event.tie_rule, event.resign) == ("approval", "captain", "two_thirds")
    browser.post(f"/console/{event.code}/edit/", fields | {"resign": ""})
    event.refresh_from_db()
    assert event.resign is None


def test_event_form_stores_options_of_chosen_game(browser: Client, organizer: User) -> None:
    fields = {"game": CLASSIC, f"{CLASSIC}-columns": "6", f"{CLASSIC}-first": "yellow"}
    browser.post("/console/new/empty/", answers(**fields))
    event = organizer.events.get()
    assert (event.game, event.options) == (CLASSIC, {"columns": 6, "rows": 6, "first": "yellow"})
    page = browser.get(f"/console/{event.code}/edit/").content.decode()
    assert re.search(r'name="captains-mistress-columns" value="6"[^>]* checked', page)
    assert re.search(r'name="simultaneous-captains-mistress-columns" value="7"[^>]* checked', page)


@pytest.mark.parametrize(
    ("number", "unit", "seconds"), [("3", "1", 3), ("90", "60", 5400), ("30", "86400", 2_592_000)]
)
def test_window_of_any_length_is_stored(
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
        ({"team_2": ""}, "Enter a team name."),
        ({"team_2": "PORT"}, "Enter two different team names."),
        ({"game": "chess"}, "Select a valid choice"),
        ({f"{SIMULTANEOUS}-columns": "9"}, "Choose one of these."),
        ({"window_s_usual": ""}, "Choose a duration."),
        ({"window_s_usual": "other"}, "Enter a number and choose a unit."),
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
        ({"tally_method": "loudest"}, "Select a valid choice"),
    ],
)
def test_invalid_event_form_shows_error_and_creates_nothing(
    browser: Client, changes: dict[str, str], text: str
) -> None:
    response = browser.post("/console/new/empty/", answers(**changes))
    page = response.content.decode()
    assert response.status_code == 200
    assert text in page
    assert "Not saved yet" in page
    assert not Event.objects.exists()


def test_new_event_form_has_defaults(browser: Client) -> None:
    page = browser.get("/console/new/empty/").content.decode()
    for name, value in [("game", SIMULTANEOUS), ("window_s_usual", "20"), ("reveal_s_usual", "6")]:
        assert re.search(rf'name="{name}" value="{value}"[^>]* checked', page)


@pytest.mark.parametrize("name", METHODS)
def test_event_form_explains_every_voting_method(browser: Client, organizer: User, name: str) -> None:
    page = browser.get("/console/new/empty/").content.decode()
    assert f"<strong>{METHODS[name].label}</strong> {METHODS[name].hint}" in page
    assert re.search(rf'name="tally_method" value="{name}"[^>]* checked', page) or name != DEFAULT_METHOD
    browser.post("/console/new/empty/", answers(tally_method=name))
    assert organizer.events.get().tally_method == name


# ------------------------------------------------------------------ edit
def test_event_edit_is_announced_and_keeps_running_match(
    browser: Client, event: Event, box: BallotBox
) -> None:
    start_match(event.pk, box)
    before = Event.objects.get(pk=event.pk)
    response = browser.post(f"/console/{event.code}/edit/", answers(team_1="Larboard"), follow=True)
    assert "apply from the next match" in response.content.decode()
    after = Event.objects.get(pk=event.pk)
    assert after.seq == before.seq + 1
    assert after.lobby == before.lobby
    assert b"Larboard" in bytes(Announcement.objects.get(event=event, seq=after.seq).body)
    assert after.matches.get().window_s == before.window_s


def test_stale_event_edit_keeps_lobby_state(browser: Client, event: Event, box: BallotBox) -> None:
    browser.get(f"/console/{event.code}/edit/")
    start_match(event.pk, box)
    browser.post(f"/console/{event.code}/edit/", answers())
    after = Event.objects.get(pk=event.pk)
    assert (after.lobby, after.seq, after.name) == ("open", 2, "Harbour night")


def test_event_edit_is_saved_without_ballot_box(browser: Client, event: Event, settings: Settings) -> None:
    settings.BALLOT_BOX_URL = "redis://127.0.0.1:1/0"
    response = browser.post(f"/console/{event.code}/edit/", answers(), follow=True)
    assert "The screens could not be notified" in response.content.decode()
    assert Event.objects.get(pk=event.pk).name == "Harbour night"

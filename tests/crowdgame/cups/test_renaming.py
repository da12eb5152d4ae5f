"""Renaming a cup and its teams: the draw stays, and events of begun pairings are renamed too."""

import pytest
from django.test import Client

from crowdgame.cups.cups import give_walkover, load_cup_progress, start_pairing
from crowdgame.cups.models import Cup
from crowdgame.cups.renaming import rename_cup
from crowdgame.events.models import AuditEntry
from games.models import Event
from tests.crowdgame.cups.cup_helpers import decide, new_cup
from tests.voting.match_helpers import organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement

pytestmark = pytest.mark.django_db
FILLED = {"name": "Autumn cup", "team_1": "5b", "team_2": "4b", "team_3": "5a", "team_4": "4a"}


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(organizer())
    return client


def page(cup: Cup) -> str:
    return f"/console/cups/{cup.code}/edit/"


def teams_of(event: Event) -> list[str]:
    return list(event.teams.order_by("number").values_list("name", flat=True))


def test_rename_form_updates_cup_teams_and_events(olga: Client, box: BallotBox) -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    form_page = olga.get(page(cup)).content.decode()
    assert all(f'value="{name}"' in form_page for name in ("Spring cup", "4a", "4b", "5a", "5b"))
    response = olga.post(page(cup), FILLED, follow=True).content.decode()
    assert "Saved." in response
    assert "Autumn cup" in response
    assert list(cup.teams.order_by("seed").values_list("name", flat=True)) == ["5b", "4b", "5a", "4a"]
    event.refresh_from_db()
    assert event.name == "Autumn cup: Semi-final 1"
    assert teams_of(event) == ["5b", "4a"]
    assert Announcement.objects.filter(event=event).exists()
    assert AuditEntry.objects.get(event=event).action == "event.edit"


def test_rename_keeps_results() -> None:
    cup = new_cup()
    decide(cup, 1, 2)
    give_walkover(cup.pk, 2, 1)
    rename_cup(cup.pk, cup.name, ("4a", "4b", "5a", "The Owls"))
    progress = load_cup_progress(Cup.objects.get())
    assert progress.names[progress.meetings[2].red or 0] == "The Owls"


def test_rename_skips_names_changed_by_hand() -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    Event.objects.update(name="The opening")
    event.teams.filter(number=1).update(name="Class 4a")
    (changed,) = rename_cup(cup.pk, "Autumn cup", ("4x", "4b", "5a", "5x"))
    changed.refresh_from_db()
    assert (changed.name, teams_of(changed)) == ("The opening", ["Class 4a", "5x"])


def test_rename_returns_no_event_without_changes() -> None:
    cup = new_cup()
    start_pairing(cup.pk, 1)
    assert rename_cup(cup.pk, "Spring cup", ("4a", "4x", "5x", "5b")) == ()


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"name": "\u3164"}, "Enter a cup name."),
        ({"team_2": " "}, "Enter a team name."),
        ({"team_2": "5B"}, "“5B” appears twice."),
        ({"team_2": "x" * 41}, "at most 40 characters"),
    ],
)
def test_invalid_rename_shows_error_and_changes_nothing(
    olga: Client, changes: dict[str, str], error: str
) -> None:
    cup = new_cup()
    assert error in olga.post(page(cup), FILLED | changes).content.decode()
    assert Cup.objects.get().name == "Spring cup"
    assert cup.teams.get(seed=1).name == "4a"


def test_rename_is_restricted_to_owner(client: Client) -> None:
    cup = new_cup()
    assert client.get(page(cup)).status_code == 302
    client.force_login(organizer("carl"))
    assert client.post(page(cup), FILLED).status_code == 404
    assert Cup.objects.get().name == "Spring cup"

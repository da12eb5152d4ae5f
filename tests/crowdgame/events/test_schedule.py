"""The schedule page: times are entered in the organizer's time zone."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from crowdgame.events.models import AuditEntry
from tests.voting.match_helpers import new_event, organizer
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
NOON_UTC = int(datetime(2999, 7, 1, 12, tzinfo=UTC).timestamp() * 1000)
HOUR_MS = 3_600_000


@pytest.fixture
def event() -> Event:
    return new_event()


def post(event: Event, starts_at: str = "", ends_at: str = "", zone: str = "", user: str = "olga") -> Any:
    client = Client()
    client.force_login(organizer(user))
    data = {"starts_at": starts_at, "ends_at": ends_at, "time_zone": zone}
    return client.post(f"/console/{event.code}/schedule/", data)


def times(event: Event) -> tuple[int | None, int | None]:
    event.refresh_from_db()
    state = load_snapshot(event)
    assert (state.next_match_at, state.ends_at) == (event.next_match_at, event.ends_at)
    return state.next_match_at, state.ends_at


@pytest.mark.parametrize(
    ("zone", "hours_earlier"), [("Europe/Berlin", 2), ("America/New_York", -4), ("", 0), ("Nowhere", 0)]
)
def test_times_are_read_in_time_zone_and_shown_in_utc(event: Event, zone: str, hours_earlier: int) -> None:
    answer = post(event, "2999-07-01T12:00", "2999-07-01T13:00", zone)
    assert answer.status_code == 302
    start = NOON_UTC - hours_earlier * HOUR_MS
    assert times(event) == (start, start + HOUR_MS)
    page = answer.client.get(f"/console/{event.code}/schedule/").content.decode()
    assert f'value="2999-07-01T{12 - hours_earlier}:00"' in page
    assert post(event).status_code == 302
    assert times(event) == (None, None)
    assert "the end for 2999-07-01" in str(AuditEntry.objects.order_by("pk")[0])


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "error"),
    [
        ("2001-01-01T12:00", "", "This time has passed"),
        ("", "2001-01-01T12:00", "This time has passed"),
        ("2999-07-01T12:00", "2999-07-01T12:00", "must end after"),
        ("soon", "", "Enter a date"),
        ("", "9999-12-31T23:59", ""),  # which New York cannot show in UTC
    ],
)
def test_impossible_times_are_refused(event: Event, starts_at: str, ends_at: str, error: str) -> None:
    answer = post(event, starts_at, ends_at, "America/New_York")
    assert (answer.status_code, error in answer.content.decode()) == (200, True)
    assert times(event) == (None, None)


def test_live_match_keeps_start_and_only_owner_plans(event: Event, box: BallotBox) -> None:
    assert post(event, "2999-07-01T12:00", user="eve").status_code == 404
    start_match(event.pk, box)
    assert post(event, "2999-07-01T12:00", "2999-07-01T13:00").status_code == 302
    assert times(event) == (None, NOON_UTC + HOUR_MS)

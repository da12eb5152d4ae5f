"""The event form: a window for each vote, or a time bank for each side."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.models import Event
from tests.voting.page_fixtures import answers, browser, event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_match

__all__ = ["browser", "event", "organizer"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]


def by_clocks(**changes: Any) -> dict[str, Any]:
    fields = {"clock": "bank", "bank_s_usual": "300", "increment_s_usual": "5", "cap_s_usual": "20"}
    return answers(**(fields | changes))


def test_event_form_stores_time_bank_settings(browser: Client, organizer: User, box: BallotBox) -> None:
    browser.post("/console/new/empty/", by_clocks())
    created = organizer.events.get()
    stored = (created.bank_s, created.increment_s, created.cap_s, created.crowd_clocks, created.window_s)
    assert stored == (300, 5, 20, True, 300)
    match = start_match(created.pk, box)
    turn = match.turns.get()
    assert (match.crowd_clocks, turn.red_bank_ms, turn.closes_at - turn.opens_at) == (True, 300_000, 20_000)
    page = browser.get(f"/console/{created.code}/edit/").content.decode()
    assert 'value="bank" id="id_clock_1" checked' in page


def test_switching_to_windows_clears_time_bank(browser: Client, organizer: User) -> None:
    browser.post("/console/new/empty/", by_clocks())
    created = organizer.events.get()
    browser.post(f"/console/{created.code}/edit/", by_clocks(clock="window"))
    created.refresh_from_db()
    assert (created.bank_s, created.increment_s, created.cap_s, created.crowd_clocks, created.window_s) == (
        None,
        0,
        None,
        False,
        20,
    )


def test_event_form_without_clock_uses_windows(browser: Client, organizer: User) -> None:
    browser.post("/console/new/empty/", answers())
    assert organizer.events.get().bank_s is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bank_s_usual": ""}, "Choose a duration."),
        (
            {"bank_s_usual": "other", "bank_s_number": "2", "bank_s_unit": "1"},
            "Choose between 3 seconds and 30 days.",
        ),
        ({"bank_s_usual": "other", "bank_s_number": "31", "bank_s_unit": "86400"}, "and 30 days."),
        ({"bank_s_usual": "60", "cap_s_usual": "other", "cap_s_number": "61"}, "more than the whole clock"),
        (
            {"increment_s_usual": "other", "increment_s_number": "25", "increment_s_unit": "3600"},
            "and 1 day.",
        ),
        ({"hands_2": "on"}, "A team without phones cannot have a clock"),
    ],
)
def test_invalid_time_bank_is_rejected(browser: Client, changes: dict[str, str], words: str) -> None:
    answer = browser.post("/console/new/empty/", by_clocks(**changes))
    assert words in answer.content.decode()
    assert not Event.objects.exists()


def test_event_form_ignores_errors_of_unselected_clock(browser: Client, organizer: User) -> None:
    browser.post("/console/new/empty/", by_clocks(window_s_usual=""))
    browser.post("/console/new/empty/", by_clocks(clock="window", bank_s_usual="", cap_s_usual="86400"))
    assert sorted(created.bank_s or 0 for created in organizer.events.all()) == [0, 300]

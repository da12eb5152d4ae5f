"""The form of an event: a window for each vote, or a clock for each side."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.models import Event
from tests.voting.browsing import answers, browser, event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_match

__all__ = ["browser", "event", "organizer"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]


def by_clocks(**changes: Any) -> dict[str, Any]:
    chosen = {"clock": "bank", "bank_s_usual": "300", "increment_s_usual": "5", "cap_s_usual": "20"}
    return answers(**(chosen | changes))


def test_a_clock_for_each_side_is_as_it_was_filled_in(
    browser: Client, organizer: User, box: BallotBox
) -> None:
    browser.post("/console/new/empty/", by_clocks())
    made = organizer.events.get()
    stored = (made.bank_s, made.increment_s, made.cap_s, made.crowd_clocks, made.window_s)
    assert stored == (300, 5, 20, True, 300)
    match = start_match(made.pk, box)
    turn = match.turns.get()
    assert (match.crowd_clocks, turn.red_bank_ms, turn.closes_at - turn.opens_at) == (True, 300_000, 20_000)
    page = browser.get(f"/console/{made.code}/edit/").content.decode()
    assert 'value="bank" id="id_clock_1" checked' in page


def test_who_goes_back_to_windows_has_no_clocks(browser: Client, organizer: User) -> None:
    browser.post("/console/new/empty/", by_clocks())
    made = organizer.events.get()
    browser.post(f"/console/{made.code}/edit/", by_clocks(clock="window"))
    made.refresh_from_db()
    assert (made.bank_s, made.increment_s, made.cap_s, made.crowd_clocks, made.window_s) == (
        None,
        0,
        None,
        False,
        20,
    )


def test_a_form_that_names_no_clock_has_windows(browser: Client, organizer: User) -> None:
    browser.post("/console/new/empty/", answers())
    assert organizer.events.get().bank_s is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bank_s_usual": ""}, "Choose how long."),
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
        ({"hands_2": "on"}, "a team without phones has none"),
    ],
)
def test_what_cannot_be_is_told_and_makes_nothing(
    browser: Client, changes: dict[str, str], words: str
) -> None:
    answer = browser.post("/console/new/empty/", by_clocks(**changes))
    assert words in answer.content.decode()
    assert not Event.objects.exists()


def test_what_is_wrong_with_the_other_way_is_not_asked(browser: Client, organizer: User) -> None:
    browser.post("/console/new/empty/", by_clocks(window_s_usual=""))
    browser.post("/console/new/empty/", by_clocks(clock="window", bank_s_usual="", cap_s_usual="86400"))
    assert sorted(made.bank_s or 0 for made in organizer.events.all()) == [0, 300]

"""The options of a cup's game: as they were chosen, each game's own."""

import pytest
from django.test import Client

from crowdgame.cups.models import Cup
from tests.voting.browsing import CLASSIC, SIMULTANEOUS, browser, organizer

__all__ = ["browser", "organizer"]

pytestmark = pytest.mark.django_db

CHOSEN = {
    "name": "Spring cup",
    "names": "4a\n4b",
    "format": "knockout",
    "game": CLASSIC,
    f"{CLASSIC}-columns": "6",
    f"{CLASSIC}-first": "yellow",
    f"{SIMULTANEOUS}-columns": "7",
    "best_of": "1",
    "window_s_usual": "20",
    "reveal_s_usual": "6",
}


def test_a_cup_is_played_with_the_options_chosen(browser: Client) -> None:
    browser.post("/console/cups/new/", CHOSEN)
    cup = Cup.objects.get()
    assert (cup.game, cup.options) == (CLASSIC, {"columns": 6, "rows": 6, "first": "yellow"})

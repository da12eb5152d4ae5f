"""The options of a cup's game are stored as chosen, separately for each game."""

import pytest
from django.test import Client

from crowdgame.cups.models import Cup
from tests.voting.page_fixtures import CLASSIC, SIMULTANEOUS, browser, organizer

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


def test_cup_form_stores_options_of_chosen_game(browser: Client) -> None:
    browser.post("/console/cups/new/", CHOSEN)
    cup = Cup.objects.get()
    assert (cup.game, cup.options) == (CLASSIC, {"columns": 6, "rows": 6, "first": "yellow"})

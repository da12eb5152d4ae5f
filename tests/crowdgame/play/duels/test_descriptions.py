"""Lists, invitations and e-mails name a duel's game, variant, time, and whether it is rated."""

from typing import Any

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.events.variants import TIMES, describe_variant, name_variant
from crowdgame.play.duels.descriptions import describe_duel
from crowdgame.play.duels.duels import DuelSettings, new_duel
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG

pytestmark = pytest.mark.django_db
CLASSIC = {"game": "captains-mistress", "options": {"columns": 6, "rows": 6, "first": "lot"}}


def duel_with(**choices: Any) -> Duel:
    return new_duel(new_guest(), DuelSettings(**choices))


def test_description_names_game_variant_time_and_rating() -> None:
    assert describe_duel(duel_with()) == (
        f"Simultaneous Captain's Mistress · 7 {TIMES} 6 · red has the token first · "
        "two lines at once: the token's holder wins · 5 minutes + 5 s per player · rated"
    )
    slow = duel_with(**CLASSIC, casual=True, time_control=TIME_CONTROLS_BY_SLUG["3-days"])
    assert describe_duel(slow) == (
        f"Captain's Mistress · 6 {TIMES} 6 · first to move drawn at random · 3 days per player · casual"
    )
    assert describe_duel(duel_with(crowd=True)).endswith("30 seconds per turn · casual")


def test_options_without_short_text_have_their_form_label() -> None:
    assert describe_variant("trails", {}) == ["Size of the field: Small: 9 by 7 squares"]
    assert "Cards per team, and prizes: 5" in describe_variant("goofspiel", {"cards": 5})
    assert describe_variant("not-installed", {}) == []


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, [f"7 {TIMES} 6"]),
        ({"columns": 6, "tie": "other"}, [f"6 {TIMES} 6", "flipped double win"]),
        ({"token": "lot", "tie": "other"}, [f"7 {TIMES} 6", "special rules"]),
    ],
)
def test_variant_has_a_name_for_lists(options: dict[str, object], name: list[str]) -> None:
    assert name_variant("simultaneous-captains-mistress", options) == name


def test_lists_name_the_variant_and_link_its_rules(client: Client) -> None:
    duel = duel_with(game="captains-mistress", options={"columns": 6, "rows": 6, "first": "yellow"})
    for path in ("/play/", "/play/all/open"):
        page = client.get(path).content.decode()
        assert f"6 {TIMES} 6 · yellow moves first · 5 minutes + 5 s per player · rated" in page, path
        assert '<a href="/rules/captains-mistress">' in page, path
    invitation = client.get(f"/play/{duel.event.code}").content.decode()
    assert describe_duel(duel).replace("'", "&#x27;") in invitation

"""The printed rules: each picture matches the game engine."""

import re

import pytest

from crowdgame.events.printing.rules_leaflet import RULE_EXAMPLES, draw_examples, play_example
from games.engine.game import Drop

PASSED = {"token_before": "red", "token_after": "yellow"}
SCENES_BY_TITLE = {scene.title: play_example(scene) for scene in RULE_EXAMPLES}


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Two columns", {"drops": (Drop("red", 3, 3), Drop("yellow", 5, 2)), "conflict": None}),
        ("The same column", {"drops": (Drop("red", 4, 1), Drop("yellow", 4, 2)), **PASSED}),
        ("One space left", {"drops": (Drop("red", 4, 6), Drop("yellow", 4, None)), **PASSED}),
        ("Four in a row", {"lines": (((2, 1), (3, 2), (4, 3), (5, 4)),), "result": "red"}),
        ("Both win at once", {"token_before": "red", "result": "red"}),
    ],
)
def test_picture_matches_the_game_engine(title: str, expected: dict[str, object]) -> None:
    played = SCENES_BY_TITLE[title].resolution
    assert {"result": "open"} | expected == {name: getattr(played, name) for name in ("result", *expected)}


def test_picture_of_both_winning_lights_both_lines() -> None:
    scene = SCENES_BY_TITLE["Both win at once"]
    assert scene.after.winning_cells == ((1, 1), (2, 1), (3, 1), (4, 1))
    assert scene.after.losing_cells == ((7, 1), (7, 2), (7, 3), (7, 4))
    assert draw_examples()[4].after.count('class="light"') == 8


def test_pending_balls_are_drawn_above_their_column() -> None:
    same = draw_examples()[1].before
    heights = re.findall(r'href="#ball-(red|yellow)" x="326" y="(-?\d+)"', same)
    assert heights == [("red", "-102"), ("yellow", "-220")]

"""The printed rules: each picture matches the game engine; and the page about the game's history."""

import re

import pytest
from django.test import Client

from crowdgame.printing.rules_leaflet import RULE_EXAMPLES, draw_examples, play_example
from crowdgame.reports.turning_point import line_cells
from crowdgame.web.content_policy import INLINE_BLOCK
from games.engine.game import Drop

SCENES_BY_TITLE = {scene.title: play_example(scene) for scene in RULE_EXAMPLES}


def test_scene_two_columns_drops_both_balls() -> None:
    played = SCENES_BY_TITLE["Two columns"].resolution
    assert {(drop.side, drop.column) for drop in played.drops} == {("red", 3), ("yellow", 5)}
    assert played.conflict is None


def test_scene_same_column_passes_token() -> None:
    played = SCENES_BY_TITLE["The same column"].resolution
    assert played.drops == (Drop("red", 4, 1), Drop("yellow", 4, 2))
    assert (played.token_before, played.token_after) == ("red", "yellow")


def test_scene_one_place_left_drops_only_first_ball() -> None:
    played = SCENES_BY_TITLE["One space left"].resolution
    assert played.drops == (Drop("red", 4, 6), Drop("yellow", 4, None))
    assert (played.token_before, played.token_after, played.result) == ("red", "yellow", "open")


def test_scene_four_in_a_row_wins() -> None:
    played = SCENES_BY_TITLE["Four in a row"].resolution
    assert (played.result, played.lines) == ("red", (((2, 1), (3, 2), (4, 3), (5, 4)),))


def test_scene_both_at_once_is_decided_by_token() -> None:
    scene = SCENES_BY_TITLE["Both win at once"]
    assert line_cells(scene.after, "red") == ((1, 1), (2, 1), (3, 1), (4, 1))
    assert line_cells(scene.after, "yellow") == ((7, 1), (7, 2), (7, 3), (7, 4))
    assert draw_examples()[4].after.count('class="light"') == 8
    assert (scene.resolution.token_before, scene.resolution.result) == ("red", "red")


def test_only_the_last_two_scenes_end_the_match() -> None:
    assert [scene.resolution.result for scene in SCENES_BY_TITLE.values()] == ["open"] * 3 + ["red"] * 2


def test_pending_balls_are_drawn_above_their_column() -> None:
    same = draw_examples()[1].before
    heights = re.findall(r'href="#ball-(red|yellow)" x="326" y="(-?\d+)"', same)
    assert heights == [("red", "-102"), ("yellow", "-220")]


@pytest.mark.parametrize("page", ["/rules", "/about"])
def test_paper_pages_set_no_cookie_and_run_no_script(client: Client, page: str) -> None:
    """Without the django_db mark, a database query fails this test."""
    answer = client.get(page)
    assert answer.status_code == 200
    assert not answer.cookies
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert not INLINE_BLOCK.findall(answer.content)
    assert not re.search(rb'<script|style=| on[a-z]+="', answer.content)
    assert client.post(page).status_code == 405


def test_rules_page_shows_every_scene(client: Client) -> None:
    page = client.get("/rules").content.decode()
    assert page.count('<svg class="cabinet') == 2 * len(RULE_EXAMPLES) + 1
    assert "An empty board of 6 columns and 6 rows." in page


def test_about_page_names_sources_but_no_phone_numbers(client: Client) -> None:
    page = client.get("/about").content.decode()
    for name in ("Richard Hutnik", "Damian Walker", "R. C. Bell", "David Parlett", "IAGO World Tour"):
        assert name in page
    assert not re.search(r"\(\d{3}\)|\d{3}-\d{4}", page)

"""The printed rules, whose pictures match the game engine, and the cards for play without phones."""

import re
import sys

import pytest
from django.test import Client

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


def test_pictures_show_winning_lines_and_pending_balls() -> None:
    scene = SCENES_BY_TITLE["Both win at once"]
    assert scene.after.winning_cells == ((1, 1), (2, 1), (3, 1), (4, 1))
    assert scene.after.losing_cells == ((7, 1), (7, 2), (7, 3), (7, 4))
    _, same, *_, both = draw_examples()
    assert both.after.count('class="light"') == 8
    heights = re.findall(r'href="#ball-(red|yellow)" x="326" y="(-?\d+)"', same.before)
    assert heights == [("red", "-102"), ("yellow", "-220")]


@pytest.mark.parametrize(
    ("path", "size"), [("/rules/cards.pdf", b"595.28 841.89"), ("/rules/cards-letter.pdf", b"612.00 792.00")]
)
@pytest.mark.parametrize("language", ["ar", pytest.param("en", marks=pytest.mark.nightly)])
def test_play_sheets_are_two_pages_of_their_paper(path: str, size: bytes, language: str) -> None:
    answer = Client().get(path, {"locale": language})
    assert answer["Content-Type"] == "application/pdf"
    assert len(re.findall(rb"/Type /Page\b", answer.content)) == 2
    assert b"/MediaBox [0 0 %s]" % size in answer.content


def test_page_says_how_to_install_missing_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)
    answer = Client().get("/rules/cards.pdf", {"locale": "de"})
    assert answer.status_code == 501
    assert "PDF-Dateien sind nicht verfügbar" in answer.content.decode()
    assert 'pip install "crowdgame[pdf]"' in answer.content.decode()

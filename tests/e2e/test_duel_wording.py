"""A game for two mentions no team and no votes, on the phone and on the display."""

import re

import pytest
from playwright.sync_api import Page

from tests.e2e.display_scenes import DUELS as ON_DISPLAY
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.phone_scenes import DUELS as ON_PHONE
from tests.e2e.scene_setup import MIDDLE, Scene, as_duel, reveals, show_scene
from tests.e2e.visible_text import visible_lines

CROWD_WORDS = re.compile(r"\b(votes?|voted|voting|teams?|crowd|alone)\b", re.IGNORECASE)
REVEALS = reveals({"duel": as_duel(MIDDLE)}, "sealed", "votes", "picks")
# What a screen reader announces, and what is folded away.
UNSEEN_JS = """() => [
  ...[...document.querySelectorAll("[aria-label]")].map((part) => part.getAttribute("aria-label")),
  ...[...document.querySelectorAll("details")].map((part) => part.textContent.trim()),
]"""
SCENES = [("phone", scene) for scene in (*ON_PHONE, *REVEALS)] + [
    ("display", scene) for scene in (*ON_DISPLAY, REVEALS[0])
]


@pytest.mark.parametrize(("screen", "scene"), SCENES, ids=[f"{at}-{scene.name}" for at, scene in SCENES])
def test_game_for_two_has_no_crowd_words(
    fake_gateway: FakeGateway, window: Page, screen: str, scene: Scene
) -> None:
    show_scene(screen, scene, window, fake_gateway)
    shown = [line.text for line in visible_lines(window)]
    assert shown
    lines = shown + window.evaluate(UNSEEN_JS)
    assert [line for line in lines if CROWD_WORDS.search(line)] == []

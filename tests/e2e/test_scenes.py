"""Phone and projector in every state: no word cut off, over another or too small; nothing for axe to find."""

import pytest
from playwright.sync_api import Page

from tests.e2e import axe
from tests.e2e.prompter import Prompter
from tests.e2e.scenes import DISPLAY_SCENES, PHONE_SCENES, Scene, look_at, named
from tests.e2e.words_shown import DRAWN, Word, faults, words_on

PHONES = ((320, 568), (844, 390), (430, 932), (390, 844))
SCREENS = ((1024, 768), (3840, 2160), (1920, 1080))
READS_FROM_AFAR, READS_IN_THE_HAND_PX = 0.05, 12
STAGE_SCHEMES = ("dark",)
# Drawn without a graphics card, a sea in motion takes most of the time there is.
STILL_SEA = """() => document.getAnimations()
  .filter(({effect}) => effect.getTiming().iterations === Infinity)
  .forEach((endless) => endless.pause())"""
KNOWS_SCHEMES = """() => [...document.styleSheets].flatMap(({cssRules}) => [...cssRules])
  .some((rule) => rule.cssText.includes("prefers-color-scheme"))"""


@pytest.mark.parametrize("scene", **named(PHONE_SCENES))
def test_the_phone(prompter: Prompter, window: Page, scene: Scene) -> None:
    sized(window, *PHONES[0])
    look_at("phone", scene, window, prompter)
    wrong = []
    for width, height in PHONES:
        words = words_at(window, width, height)
        small = [f"too small: {word}" for word in words if word.type < READS_IN_THE_HAND_PX - 0.01]
        wrong += [f"{width}x{height}: {fault}" for fault in faults(words, width, height) + small]
    assert wrong + axe.check(window, scene.name) == []


@pytest.mark.parametrize("scene", **named(DISPLAY_SCENES))
def test_the_projector(prompter: Prompter, window: Page, scene: Scene) -> None:
    sized(window, *SCREENS[0])
    look_at("display", scene, window, prompter)
    window.evaluate("() => document.fonts.ready")
    window.evaluate(STILL_SEA)
    wrong = []
    for width, height in SCREENS:
        words = words_at(window, width, height)
        least = READS_FROM_AFAR * height - 0.01
        small = [f"too small: {word}" for word in words if word.type < least]
        wrong += [f"{width}x{height}: {fault}" for fault in faults(words, width, height) + small]
    assert wrong + axe.check(window, scene.name, STAGE_SCHEMES) == []


def test_the_projector_is_the_same_in_light_and_in_dark(prompter: Prompter, window: Page) -> None:
    """So it is looked at in one of them."""
    look_at("display", DISPLAY_SCENES[0], window, prompter)
    assert not window.evaluate(KNOWS_SCHEMES)


def words_at(window: Page, width: int, height: int) -> list[Word]:
    sized(window, width, height)
    return words_on(window)


def sized(window: Page, width: int, height: int) -> None:
    window.set_viewport_size({"width": width, "height": height})
    window.evaluate(DRAWN)


SPOILT = """
<p style="position: absolute; left: 700px; white-space: nowrap">runs off the screen, far off</p>
<p style="position: absolute; top: 300px">one</p><p style="position: absolute; top: 304px">two</p>
<p style="position: absolute; top: 400px; width: 30px; overflow: hidden; white-space: nowrap">cut off</p>
"""


def test_what_is_spoilt_is_found(window: Page) -> None:
    """Else the others would prove nothing."""
    sized(window, 800, 600)
    window.set_content(SPOILT)
    found = [fault.partition(":")[0] for fault in faults(words_on(window), 800, 600)]
    assert found == ["off the screen", "cut off", "one over the other"]

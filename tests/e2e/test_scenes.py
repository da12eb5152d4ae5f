"""Phone and projector in every state: no word cut off, over another or too small; nothing for axe to find."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Page

from tests.e2e import axe
from tests.e2e.prompter import Prompter
from tests.e2e.scenes import DISPLAY_SCENES, PHONE_SCENES, Scene, named, show_scene
from tests.e2e.words_shown import DRAWN, Word, faults, words_on

# The first one leaves least room.
PHONES = ((320, 568), (844, 390), (430, 932), (390, 844))
SCREENS = ((1024, 768), (3840, 2160), (1920, 1080))
READS_FROM_AFAR, READS_IN_THE_HAND_PX = 0.05, 12
STAGE_SCHEMES = ("dark",)
# Drawn without a graphics card, a sea in motion takes most of the time there is.
STILL_SEA = """() => document.getAnimations()
  .filter(({effect}) => effect.getTiming().iterations === Infinity)
  .forEach((endless) => endless.pause())"""
Sizes = Sequence[tuple[int, int]]
KNOWS_SCHEMES = """() => [...document.styleSheets].flatMap(({cssRules}) => [...cssRules])
  .some((rule) => rule.cssText.includes("prefers-color-scheme"))"""


@pytest.mark.parametrize("scene", **named(PHONE_SCENES))
def test_the_smallest_phone(prompter: Prompter, window: Page, scene: Scene) -> None:
    sized(window, *PHONES[0])
    show_scene("phone", scene, window, prompter)
    assert wrong_on_phones(window, PHONES[:1]) + axe.check(window, scene.name, axe.SCHEMES[:1]) == []


@pytest.mark.thorough
@pytest.mark.parametrize("scene", **named(PHONE_SCENES))
def test_other_phones(prompter: Prompter, window: Page, scene: Scene) -> None:
    sized(window, *PHONES[1])
    show_scene("phone", scene, window, prompter)
    assert wrong_on_phones(window, PHONES[1:]) + axe.check(window, scene.name, axe.SCHEMES[1:]) == []


@pytest.mark.parametrize("scene", **named(DISPLAY_SCENES))
def test_the_old_projector(prompter: Prompter, window: Page, scene: Scene) -> None:
    sized(window, *SCREENS[0])
    show_scene("display", scene, window, prompter)
    assert wrong_on_screens(window, SCREENS[:1]) + axe.check(window, scene.name, STAGE_SCHEMES) == []


@pytest.mark.thorough
@pytest.mark.parametrize("scene", **named(DISPLAY_SCENES))
def test_other_projectors(prompter: Prompter, window: Page, scene: Scene) -> None:
    sized(window, *SCREENS[1])
    show_scene("display", scene, window, prompter)
    assert wrong_on_screens(window, SCREENS[1:]) == []


def test_the_projector_is_the_same_in_light_and_in_dark(prompter: Prompter, window: Page) -> None:
    """So it is looked at in one of them."""
    show_scene("display", DISPLAY_SCENES[0], window, prompter)
    assert not window.evaluate(KNOWS_SCHEMES)


def wrong_on_phones(window: Page, sizes: Sizes) -> list[str]:
    wrong = []
    for width, height in sizes:
        words = words_at(window, width, height)
        small = [f"too small: {word}" for word in words if word.type < READS_IN_THE_HAND_PX - 0.01]
        wrong += [f"{width}x{height}: {fault}" for fault in faults(words, width, height) + small]
    return wrong


def wrong_on_screens(window: Page, sizes: Sizes) -> list[str]:
    window.evaluate("() => document.fonts.ready")
    window.evaluate(STILL_SEA)
    wrong = []
    for width, height in sizes:
        words = words_at(window, width, height)
        least = READS_FROM_AFAR * height - 0.01
        small = [f"too small: {word}" for word in words if word.type < least]
        wrong += [f"{width}x{height}: {fault}" for fault in faults(words, width, height) + small]
    return wrong


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
